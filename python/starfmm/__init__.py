# SPDX-License-Identifier: BSD-3-Clause
"""Sums over pairs of points in the plane and in space, in O(N) by the fast multipole method.

    Phi(y_i) = sum over j with x_j != y_i of G(y_i, x_j) q_j

One sum is a function: `laplace3d`, `log2d`, `harmonic2d`, `gravity`. A sum that is evaluated more
than once is a `Sum` of a kernel, which plans once:

>>> import numpy, starfmm
>>> x, q = numpy.random.rand(2000, 3), numpy.random.rand(2000)
>>> f = starfmm.Sum(starfmm.Laplace3d(gradient=True), x, tol=1e-6)
>>> potential, gradient = f(q)
>>> gradient.shape
(2000, 3)
>>> f.check(q, (potential, gradient)).are_allowed
True

Sums run on every core, or where `runtime` says.
"""

from ._context import Runtime, runtime
from ._core import Errors, PartErrors, Report
from ._errors import Error, InputError
from ._functions import gravity, harmonic2d, laplace3d, log2d, near_field
from ._info import Info
from ._kernels import L2, Gravity, Harmonic2d, Laplace3d, Log2d, Median, Plummer, Spline
from ._leapfrog import Conserved, Leapfrog
from ._mesh import Mesh
from ._sum import Sum

__all__ = [
    "L2",
    "Conserved",
    "Error",
    "Errors",
    "Gravity",
    "Harmonic2d",
    "Info",
    "InputError",
    "Laplace3d",
    "Leapfrog",
    "Log2d",
    "Median",
    "Mesh",
    "PartErrors",
    "Plummer",
    "Report",
    "Runtime",
    "Spline",
    "Sum",
    "gravity",
    "harmonic2d",
    "laplace3d",
    "log2d",
    "near_field",
    "runtime",
]


def __getattr__(name: str) -> str:
    if name == "__version__":  # what it needs takes a tenth of the time of the import
        from importlib.metadata import version

        return version("starfmm")
    raise AttributeError(f"module 'starfmm' has no attribute '{name}'")
