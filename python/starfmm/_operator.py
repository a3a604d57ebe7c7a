# SPDX-License-Identifier: BSD-3-Clause
"""Sums as matrices of scipy's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse.linalg import LinearOperator

from ._errors import InputError

if TYPE_CHECKING:
    from ._sum import Sum


class _SumOperator(LinearOperator):
    def __init__(self, sum_: Sum) -> None:
        self._sum = sum_
        self._backward: tuple[Sum, object] | None = None  # and the points that it is of
        number = np.complex128 if sum_._is_complex else np.float64
        super().__init__(number, (sum_.n_targets, sum_.n_sources))

    def _matvec(self, q: np.ndarray) -> np.ndarray:
        return _values(self._sum, q.reshape(-1))

    def _matmat(self, q: np.ndarray) -> np.ndarray:
        return _values(self._sum, q.T).T

    def _rmatvec(self, v: np.ndarray) -> np.ndarray:
        return self._rmatmat(v.reshape(-1, 1))[:, 0]

    def _rmatmat(self, v: np.ndarray) -> np.ndarray:
        # G(y, x) = G(x, y), but for the harmonic kernel, which changes its sign
        sign = -1 if self._sum._is_complex else 1
        return sign * _values(self._exchanged(), v.conj().T).T.conj()

    def _exchanged(self) -> Sum:
        if not self._sum._has_targets:
            return self._sum
        if self._backward is None or self._backward[1] is not self._sum._points:
            self._backward = (self._sum._exchanged(), self._sum._points)
        return self._backward[0]


def _values(sum_: Sum, q: np.ndarray) -> np.ndarray:
    """Also of complex strengths where the kernel is real: two right-hand sides."""
    if not np.iscomplexobj(q) or sum_._takes_complex:
        return np.asarray(sum_(q))
    re, im = sum_(np.stack((q.real, q.imag)).reshape(-1, q.shape[-1])).reshape(2, *q.shape[:-1], -1)
    return np.asarray(re + 1j * im)


def linear_operator(sum_: Sum) -> LinearOperator:
    parts = sum_._made.parts
    if len(parts) > 1 or (parts[0].size > 1 and not sum_._is_complex):
        raise InputError(
            f"kernel = {sum_.kernel}: has values of several numbers, where a matrix has one; sum"
            " potentials without their gradient"
        )
    return _SumOperator(sum_)
