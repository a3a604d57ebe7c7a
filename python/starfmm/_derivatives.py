# SPDX-License-Identifier: BSD-3-Clause
"""Potentials, and what a loss of them gains from strengths and places: what torch and JAX ask for.

With phi_i = sum_j G(y_i, x_j) q_j, G(y, x) = G(x, y), and g_i the derivative of a loss by phi_i, let
psi(x) = sum_i G(x, y_i) g_i be the sum with sources and targets exchanged. Then the derivative of the
loss by q_j is psi(x_j), that by x_j is q_j grad psi(x_j), and that by y_i is g_i grad phi(y_i).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ._errors import InputError
from ._kernels import Gravity, Laplace3d, Log2d, Tolerance
from ._sum import Sum

PotentialKernel = Laplace3d | Log2d | Gravity


def _with(kernel: PotentialKernel, gradient: bool) -> PotentialKernel:
    if isinstance(kernel, Gravity):  # accelerations are the negative gradient
        return dataclasses.replace(kernel, potential=True)
    return dataclasses.replace(kernel, gradient=gradient)


def check_kernel(kernel: Any) -> None:
    if not isinstance(kernel, PotentialKernel):
        raise InputError(
            f"kernel = {kernel!r}: has no derivatives here; must be one of starfmm.Laplace3d(), Log2d() and"
            " Gravity()"
        )


class Potentials:
    """Potentials of a kernel at places, and their derivatives. Sums are planned when they are needed.

    x: (n, D) sources; targets: (m, D), or None: the sources, whose own terms are left out
    array: what makes values arrays of the caller's kind
    """

    def __init__(
        self,
        kernel: PotentialKernel,
        x: Any,
        targets: Any,
        tol: Tolerance,
        array: Callable[[Any], Any] = np.asarray,
    ) -> None:
        check_kernel(kernel)
        self._kernel = kernel
        self._places = (x, targets)
        self._tol = tol
        self._array = array
        self._sums: dict[tuple[bool, bool], Sum] = {}

    def __call__(self, q: Any, gradient: bool = False) -> tuple[Any, Any]:
        """(potential, gradient or None) at the targets, of strengths (n,) or (k, n) of the sources."""
        return self._evaluate(q, gradient, is_exchanged=False)

    def exchanged(self, g: Any, gradient: bool = False) -> tuple[Any, Any]:
        """The same at the sources, of strengths (m,) or (k, m) of the targets."""
        return self._evaluate(g, gradient, is_exchanged=self._places[1] is not None)

    def pulled_back(
        self, q: Any, g: Any, of_targets: Any, *, wants_x: bool, wants_targets: bool
    ) -> tuple[Any, Any, Any]:
        """The derivatives of a loss by x, q and the targets.

        g: its derivative by the potentials of q
        of_targets: the gradient of those potentials, where it is asked for what targets do to them
        Returns None for what is not wanted; by x all of it where the targets are the sources.
        """
        by_q, psi = self.exchanged(g, gradient=wants_x)
        by_x: Any = _over_sums(q[..., None] * psi) if wants_x else None
        by_targets: Any = _over_sums(g[..., None] * of_targets) if wants_targets else None
        if self._places[1] is None and wants_x:
            return by_x + by_targets, by_q, None
        return by_x, by_q, by_targets

    def _evaluate(self, q: Any, gradient: bool, is_exchanged: bool) -> tuple[Any, Any]:
        if (is_exchanged, True) in self._sums:
            gradient = True  # no second plan for less
        key = (is_exchanged, gradient)
        if key not in self._sums:
            x, targets = reversed(self._places) if is_exchanged else self._places
            self._sums[key] = Sum(_with(self._kernel, gradient), x, targets, self._tol)
        values = self._sums[key](q)
        if isinstance(self._kernel, Gravity):
            acceleration, potential = map(self._array, values)
            return potential, -acceleration
        return tuple(map(self._array, values)) if gradient else (self._array(values), None)


def _over_sums(each: Any) -> Any:
    """Adds up what several right-hand sides (k, n, D) ask for."""
    return each.sum(0) if each.ndim == 3 else each
