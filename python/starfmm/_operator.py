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
        number = np.complex128 if sum_._is_complex else np.float64
        super().__init__(number, (sum_.n_targets, sum_.n_sources))

    def _matvec(self, q: np.ndarray) -> np.ndarray:
        return self._of(q.reshape(-1))

    def _matmat(self, q: np.ndarray) -> np.ndarray:
        return self._of(q.T).T

    def _rmatvec(self, v: np.ndarray) -> np.ndarray:
        return self._rmatmat(v.reshape(-1, 1))[:, 0]

    def _rmatmat(self, v: np.ndarray) -> np.ndarray:
        if self._sum._has_targets:
            raise InputError("the sum has targets of its own: there is no adjoint of it")
        # G(y, x) = G(x, y), but for the harmonic kernel, which changes its sign
        sign = -1 if self._sum._is_complex else 1
        return sign * self._of(v.conj().T).T.conj()

    def _of(self, q: np.ndarray) -> np.ndarray:
        """Also of complex strengths where the kernel is real: two right-hand sides."""
        if not np.iscomplexobj(q) or self._sum._takes_complex:
            return np.asarray(self._sum(q))
        re, im = self._sum(np.stack((q.real, q.imag)).reshape(-1, q.shape[-1])).reshape(2, *q.shape[:-1], -1)
        return np.asarray(re + 1j * im)


def linear_operator(sum_: Sum) -> LinearOperator:
    parts = sum_._made.parts
    if len(parts) > 1 or (parts[0].size > 1 and not sum_._is_complex):
        raise InputError(
            f"kernel = {sum_.kernel}: has values of several numbers, where a matrix has one; sum"
            " potentials without their gradient"
        )
    return _SumOperator(sum_)
