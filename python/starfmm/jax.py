# SPDX-License-Identifier: BSD-3-Clause
"""Potentials that JAX differentiates in reverse, by strengths and by places, inside jit, too.

>>> import jax, numpy, starfmm.jax
>>> x, q = numpy.random.rand(100, 3), numpy.ones(100)
>>> jax.grad(lambda x: starfmm.jax.laplace3d(x, q).sum())(x).shape
(100, 3)

Sums run by a callback on the host, over arrays of the precision that JAX has. Derivatives are sums,
too: one with sources and targets exchanged, and with gradients for what places do. Their errors are
those of potentials and gradients (`starfmm.Laplace3d`). Second derivatives are not there.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._derivatives import PotentialKernel, Potentials, check_kernel
from ._kernels import Gravity, Laplace3d, Log2d, Plummer, Spline, Tolerance

__all__ = ["gravity_potential", "laplace3d", "log2d", "potentials"]


def potentials(
    kernel: PotentialKernel, x: Any, q: Any, targets: Any = None, tol: Tolerance = 1e-6
) -> jax.Array:
    """sum q_j G(y, x_j) of a kernel's potential: Laplace3d(), Log2d() or Gravity(...).

    x: (n, D) sources, q: (n,) or (k, n) strengths, targets: (m, D), by default the sources
    tol: the error allowed, as of starfmm.Sum
    Returns (m,) or (k, m), of the precision of q. Raises as starfmm.Sum does, inside jit JAX's own
    error that holds it.
    """
    check_kernel(kernel)
    arrays = (jnp.asarray(x), jnp.asarray(q), None if targets is None else jnp.asarray(targets))
    return _potentials(kernel, tol, *arrays)


def laplace3d(x: Any, q: Any, targets: Any = None, tol: Tolerance = 1e-6) -> jax.Array:
    """Potentials sum q_j / |y - x_j| in space, as `potentials`."""
    return potentials(Laplace3d(), x, q, targets, tol)


def log2d(x: Any, q: Any, targets: Any = None, tol: Tolerance = 1e-6) -> jax.Array:
    """Potentials sum q_j log|y - x_j| in the plane, as `potentials`."""
    return potentials(Log2d(), x, q, targets, tol)


def gravity_potential(
    x: Any,
    m: Any,
    softening: Plummer | Spline = Plummer(1e-3),
    g: float = 1.0,
    tol: Tolerance = 1e-3,
    targets: Any = None,
) -> jax.Array:
    """Potentials -g sum m_j / r of bodies, softened, as `potentials`; forces are their gradient."""
    return potentials(Gravity(softening, g), x, m, targets, tol)


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _potentials(kernel: PotentialKernel, tol: Tolerance, x: Any, q: Any, targets: Any) -> jax.Array:
    places = x if targets is None else targets
    shape = jax.ShapeDtypeStruct((*q.shape[:-1], places.shape[0]), q.dtype)
    call = partial(_sum, kernel, tol)
    phi: jax.Array = jax.pure_callback(call, shape, x, q, targets, vmap_method="sequential")
    return phi


def _forward(kernel: PotentialKernel, tol: Tolerance, *arrays: Any) -> tuple[jax.Array, Any]:
    return _potentials(kernel, tol, *arrays), arrays


def _backward(kernel: PotentialKernel, tol: Tolerance, arrays: Any, g: jax.Array) -> tuple[Any, ...]:
    shapes = tuple(
        None if array is None else jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays
    )
    call = partial(_pulled_back, kernel, tol)
    changes: tuple[Any, ...] = jax.pure_callback(call, shapes, *arrays, g, vmap_method="sequential")
    return changes


_potentials.defvjp(_forward, _backward)


def _on_host(array: Any) -> Any:
    return None if array is None else np.asarray(array)


def _sum(kernel: PotentialKernel, tol: Tolerance, *arrays: Any) -> np.ndarray:
    x, q, targets = map(_on_host, arrays)
    phi, _ = Potentials(kernel, x, targets, tol)(q)
    return np.asarray(phi, q.dtype)


def _pulled_back(kernel: PotentialKernel, tol: Tolerance, *given: Any) -> tuple[Any, ...]:
    *arrays, g = map(_on_host, given)
    x, q, targets = arrays
    sums = Potentials(kernel, x, targets, tol)
    _, gradient = sums(q, gradient=True)
    changes = sums.pulled_back(q, g, gradient, wants_x=True, wants_targets=True)
    return tuple(
        None if array is None else np.asarray(change, array.dtype)
        for change, array in zip(changes, arrays, strict=True)
    )
