# SPDX-License-Identifier: BSD-3-Clause
"""Sums that are evaluated once."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ._arrays import numbers_of
from ._kernels import Gravity, Harmonic2d, Kernel, Laplace3d, Log2d, Plummer, Spline, Tolerance
from ._sum import Sum, Values


def laplace3d(
    x: ArrayLike,
    q: ArrayLike,
    targets: ArrayLike | None = None,
    tol: Tolerance = 1e-6,
    gradient: bool = False,
) -> Values:
    """Potentials sum q_j / |y - x_j| in space, with `gradient` a tuple (potential, gradient).

    x: (n, 3) sources, q: (n,) or (k, n) strengths, targets: (m, 3), by default the sources
    tol: the error allowed, ||error|| / ||potential||; gradients may have 30 times that
    Returns (m,), or with k right-hand sides (k, m); the gradient has 3 numbers more at the end.
    Raises as Sum does.

    >>> import starfmm
    >>> starfmm.laplace3d([[0, 0, 0], [0, 0, 2]], [1, 4])
    array([2. , 0.5])
    """
    return Sum(Laplace3d(gradient), x, targets, tol)(q)


def log2d(
    x: ArrayLike,
    q: ArrayLike,
    targets: ArrayLike | None = None,
    tol: Tolerance = 1e-6,
    gradient: bool = False,
) -> Values:
    """Potentials sum q_j log|y - x_j| in the plane, with `gradient` a tuple (potential, gradient).

    x: (n, 2) sources, or (n,) complex numbers; targets: (m, 2) or (m,), by default the sources
    q: (n,) or (k, n) strengths; tol: the error allowed, ||error|| / ||potential||
    Returns (m,), or with k right-hand sides (k, m); the gradient has 2 numbers more at the end.
    Raises as Sum does.

    >>> import starfmm
    >>> starfmm.log2d([0, 1j], [1, 1], targets=[2 + 0j])
    array([1.49786614])
    """
    return Sum(Log2d(gradient), x, targets, tol)(q)


def harmonic2d(x: ArrayLike, q: ArrayLike, targets: ArrayLike | None = None, tol: Tolerance = 1e-6) -> Values:
    """The complex values sum q_j / (x_j - y) in the plane.

    x: (n, 2) sources, or (n,) complex numbers; targets: (m, 2) or (m,), by default the sources
    q: (n,) or (k, n) strengths, real or complex; tol: the error allowed, ||error|| / ||values||
    Returns (m,), or with k right-hand sides (k, m), complex. Raises as Sum does.

    >>> import starfmm
    >>> starfmm.harmonic2d([0, 1j], [1, 1], targets=[2 + 0j])
    array([-0.9-0.2j])
    """
    strengths = numbers_of(q, "q")
    return Sum(Harmonic2d(strengths.dtype.kind == "c"), x, targets, tol)(strengths)


def near_field(
    kernel: Kernel, x: ArrayLike, q: ArrayLike, levels: int, targets: ArrayLike | None = None
) -> Values:
    """Values of a kernel over near sources alone: those in a target's box and in boxes that touch it.

    kernel: Laplace3d, Log2d or Harmonic2d
    levels: how often the smallest square or cube that holds all points is halved, [0, 15], in space [0, 10]
    x, q, targets and what is returned: as of the kernel's own function. Raises as Sum does.

    >>> import starfmm
    >>> starfmm.near_field(starfmm.Laplace3d(), [[0, 0, 0], [0, 0, 1], [0, 0, 8]], [1, 1, 1], levels=2)
    array([1., 1., 0.])
    """
    return Sum(kernel, x, targets, method="near_field", levels=levels)(q)


def gravity(
    x: ArrayLike,
    m: ArrayLike,
    softening: Plummer | Spline = Plummer(1e-3),
    g: float = 1.0,
    tol: Tolerance = 1e-3,
    potential: bool = False,
    targets: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
) -> Values:
    """Accelerations g sum m_j (x_j - y) / r^3, with `potential` a tuple (acceleration, potential).

    x: (n, 3) bodies, m: (n,) or (k, n) masses
    softening: Plummer(epsilon) or Spline(epsilon), lengths in the unit of x
    tol: the error allowed, ||error|| / ||acceleration||, or Median of the targets' own
    targets: (m, 3) places y, by default the bodies, each without itself
    lengths: (n,), with softening=Spline(): a softening length for each body; a pair has the longer one
    Returns (m, 3), or with k right-hand sides (k, m, 3), and potentials (m,) or (k, m).
    Raises as Sum does.

    >>> import starfmm
    >>> starfmm.gravity([[0, 0, 0], [0, 0, 2]], [1, 4], starfmm.Plummer(0))
    array([[ 0.  ,  0.  ,  1.  ],
           [ 0.  ,  0.  , -0.25]])
    """
    return Sum(Gravity(softening, g, potential), x, targets, tol, lengths=lengths)(m)
