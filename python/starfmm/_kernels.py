# SPDX-License-Identifier: BSD-3-Clause
"""Kernels and tolerances are values."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass

from . import _core
from ._errors import InputError


@dataclass(frozen=True)
class Log2d:
    """The logarithm in the plane, sum q_j log|y - x_j|; with `gradient` its derivatives, too."""

    gradient: bool = False

    def _made(self) -> _core.Kernel:
        return _core.kernel_named("log2d", {"gradient": bool(self.gradient)})


@dataclass(frozen=True)
class Harmonic2d:
    """The harmonic kernel of the plane, sum q_j / (x_j - y) of complex x_j and y; values are complex.

    Sums of strengths that are known to be real take less time without `complex_strengths`.
    """

    complex_strengths: bool = True

    def _made(self) -> _core.Kernel:
        return _core.kernel_named("harmonic2d", {"complex_strengths": bool(self.complex_strengths)})


@dataclass(frozen=True)
class Laplace3d:
    """Laplace's kernel in space, sum q_j / |y - x_j|; with `gradient` its derivatives, too."""

    gradient: bool = False

    def _made(self) -> _core.Kernel:
        return _core.kernel_named("laplace3d", {"gradient": bool(self.gradient)})


@dataclass(frozen=True)
class Plummer:
    """Bodies are Plummer's spheres: r^2 + epsilon^2 takes the place of r^2; 0: points."""

    epsilon: float = 0.0


@dataclass(frozen=True)
class Spline:
    """Bodies are balls of a cubic spline, Newton's points beyond 2.8 epsilon; 0: points."""

    epsilon: float = 0.0


@dataclass(frozen=True)
class Gravity:
    """Gravity in space: the acceleration, g sum m_j (x_j - y) / r^3; with `potential` it, too."""

    softening: Plummer | Spline = Plummer()
    g: float = 1.0
    potential: bool = False

    def _made(self) -> _core.Kernel:
        if not isinstance(self.softening, (Plummer, Spline)):
            raise InputError(
                f"softening = {self.softening!r}: must be starfmm.Plummer(epsilon) or starfmm.Spline(epsilon)"
            )
        parameters: dict[str, bool | float | str] = {
            "softening": type(self.softening).__name__.lower(),
            "epsilon": number("epsilon", self.softening.epsilon),
            "g": number("g", self.g),
            "potential": bool(self.potential),
        }
        return _core.kernel_named("gravity", parameters)


Kernel = Log2d | Harmonic2d | Laplace3d | Gravity


@dataclass(frozen=True)
class L2:
    """The error of all values in the Euclidean norm: ||error|| / ||value||. A number means it, too."""

    value: float


@dataclass(frozen=True)
class Median:
    """The median of the values' own errors, |error| / |value|, and what 99 of 100 keep. Of gravity."""

    value: float
    p99: float = 1.0


Tolerance = float | L2 | Median


def number(name: str, given: object) -> float:
    """A finite number."""
    if not isinstance(given, numbers.Real) or not math.isfinite(given):
        raise InputError(f"{name} = {given!r}: must be a finite number")
    return float(given)


def kernel_made(kernel: Kernel) -> _core.Kernel:
    if not isinstance(kernel, Kernel):
        raise InputError(
            f"kernel = {kernel!r}: must be one of starfmm.Laplace3d(), Log2d(), Harmonic2d() and Gravity()"
        )
    return kernel._made()


def tolerance_made(tol: Tolerance) -> _core.Tolerance:
    if isinstance(tol, Median):
        return _core.median(number("tol", tol.value), number("tol: p99", tol.p99))
    return _core.l2(number("tol", tol.value if isinstance(tol, L2) else tol))
