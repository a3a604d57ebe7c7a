# SPDX-License-Identifier: BSD-3-Clause
"""What tests share: seeded points and strengths, sums in extended precision, programs of their own."""

import subprocess
import sys

import numpy as np
import pytest

N, M = 700, 230


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(1)


def differences(x, targets):
    """y_i - x_j [m, n, D] in extended precision, and which pairs are of one place."""
    y = np.asarray(x if targets is None else targets, np.longdouble)
    d = y[:, None, :] - np.asarray(x, np.longdouble)[None, :, :]
    return d, (d == 0).all(axis=-1)


def inverse(r, none):
    return np.where(none, 0, 1 / np.where(none, 1, r))


def exact_laplace(x, q, targets=None):
    """Potential (..., m) and gradient (..., m, 3)."""
    d, none = differences(x, targets)
    r = inverse(np.sqrt((d * d).sum(axis=-1)), none)
    q = np.asarray(q, np.longdouble)
    return q @ r.T, -np.einsum("...j,ij,ijd->...id", q, r**3, d)


def exact_log(x, q, targets=None):
    d, none = differences(x, targets)
    square = (d * d).sum(axis=-1)
    q = np.asarray(q, np.longdouble)
    potential = q @ np.where(none, 0, np.log(np.where(none, 1, square)) / 2).T
    return potential, np.einsum("...j,ij,ijd->...id", q, inverse(square, none), d)


def exact_harmonic(x, q, targets=None):
    d, none = differences(x, targets)
    z = -(d[..., 0] + 1j * d[..., 1])
    return np.asarray(q, np.clongdouble) @ inverse(z, none).T


def exact_gravity(x, m, epsilon, g=1, y=None):
    """Acceleration (m, 3) and potential (m,)."""
    d, none = differences(x, y)
    if y is not None and epsilon > 0:
        none = False  # softened bodies act on targets at their places
    r = inverse(np.sqrt((d * d).sum(axis=-1) + np.longdouble(epsilon) ** 2), none)
    m = np.asarray(m, np.longdouble)
    return -g * np.einsum("j,ij,ijd->id", m, r**3, d), -g * (r @ m)


def error(found, exact) -> float:
    """In L2, relative."""
    difference = np.asarray(found, exact.dtype) - exact
    assert difference.shape == exact.shape == np.shape(found)
    return float(np.linalg.norm(np.abs(difference).ravel()) / np.linalg.norm(np.abs(exact).ravel()))


def run_program(text: str, *, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-P", "-c", text], capture_output=True, text=True, timeout=timeout, check=False
    )
