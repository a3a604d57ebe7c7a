# SPDX-License-Identifier: BSD-3-Clause
"""Input that is refused: the message names the argument, its value, what is allowed, and the cure."""

import numpy as np
import pytest

import starfmm
from starfmm import InputError

X, Y, Q = np.random.rand(40, 3), np.random.rand(7, 3), np.random.rand(40)


class OnGpu:
    """As arrays of CuPy and torch on a GPU describe themselves."""

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **options):
        raise AssertionError("not to be asked for")


class OfNumba:
    __cuda_array_interface__ = {"shape": (40,), "typestr": "<f8", "version": 3}


def broken(array, value):
    array = array.copy()
    array.flat[5] = value
    return array


POINTS = {
    "no array": ("points", "^x: has numbers of type <U6"),
    "ragged": ([[1, 2, 3], [1, 2]], "^x: is no array of numbers"),
    "object": (np.full((40, 3), None), "^x: has numbers of type object"),
    "long": (X.astype(np.longdouble), r"^x: has numbers of type .*use x\.astype"),
    "none": (np.empty((0, 3)), "^x: has no points"),
    "flat": (X.ravel(), r"^x: has the shape \(120,\); takes \(n, 3\)"),
    "plane": (X[:, :2], r"^x: has the shape \(40, 2\); takes \(n, 3\)"),
    "transposed": (X.T, r"it is transposed: pass x\.T"),
    "complex": (X + 0j, r"^x: has the shape \(40, 3\) of complex numbers"),
    "NaN": (broken(X, np.nan), "^x.z.1. = nan: must be finite"),
    "infinite": (broken(X, np.inf), "^x.z.1. = inf: must be finite"),
    "GPU": (OnGpu(), "^x: lies on a GPU"),
}


@pytest.mark.parametrize("case", POINTS)
def test_points(case):
    given, message = POINTS[case]
    with pytest.raises(InputError, match=message):
        starfmm.laplace3d(given, Q)


STRENGTHS = {
    "no array": (object(), "^q: has numbers of type object"),
    "few": (Q[:-1], r"^q: has the shape \(39,\); takes \(40,\), or .* \(k, 40\)"),
    "none": (np.empty((0, 40)), r"^q: has the shape \(0, 40\)"),
    "transposed": (np.ones((40, 2)), r"^q: has the shape \(40, 2\)"),
    "number": (1.0, r"^q: has the shape \(\)"),
    "many": (np.ones((2, 2, 40)), r"^q: has the shape \(2, 2, 40\)"),
    "complex": (Q + 0j, "^q: is complex where real strengths are summed"),
    "NaN": (broken(Q, np.nan), r"^q\[5\].*nan"),
    "infinite": (broken(Q, -np.inf), r"^q\[5\].*inf"),
    "GPU": (OnGpu(), "^q: lies on a GPU"),
    "GPU of numba": (OfNumba(), "^q: lies on a GPU, and does not say where"),
}


@pytest.mark.parametrize("case", STRENGTHS)
def test_strengths(case):
    given, message = STRENGTHS[case]
    with pytest.raises(InputError, match=message):
        starfmm.laplace3d(X, given)


TARGETS = {
    "none": (np.empty((0, 3)), "^targets: has no points"),
    "plane": (Y[:, :2], r"^targets: has the shape \(7, 2\)"),
    "NaN": (broken(Y, np.nan), "^targets.z.1. = nan: must be finite"),
}


@pytest.mark.parametrize("case", TARGETS)
def test_targets(case):
    given, message = TARGETS[case]
    with pytest.raises(InputError, match=message):
        starfmm.laplace3d(X, Q, given)


OPTIONS = {
    "tol 0": ({"tol": 0}, "^tol = 0"),
    "tol 1": ({"tol": 1.0}, "^tol = 1"),
    "tol NaN": ({"tol": float("nan")}, "^tol = nan: must be a finite number"),
    "tol name": ({"tol": "1e-6"}, "^tol = '1e-6': must be a finite number"),
    "median": ({"tol": starfmm.Median(1e-3)}, "^tol"),
    "method": ({"method": "fast"}, "^method = 'fast': must be one of 'automatic', 'fmm', 'direct'"),
    "precision": ({"precision": "half"}, "^precision = 'half': must be one of .*'mixed'"),
    "mixed": ({"tol": 1e-12, "precision": "mixed"}, "^tol"),
    "unknown": ({"ndirect": 5}, "^ndirect: is no option of a sum; there are tree, order"),
    "order": ({"order": 100}, "^order = 100"),
    "order name": ({"order": "high"}, "^order = 'high': must be an integer"),
    "theta": ({"theta": 1.5}, "^theta = 1.5"),
    "theta name": ({"theta": []}, r"^theta = \[\]: must be a number"),
    "tree": ({"tree": "binary"}, "^tree = 'binary': must be one of"),
    "tree number": ({"tree": 3}, "^tree = 3: must be a name"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options(case):
    options, message = OPTIONS[case]
    with pytest.raises(InputError, match=message):
        starfmm.Sum(starfmm.Laplace3d(), X, **options)(Q)


@pytest.mark.parametrize("kernel", ["laplace3d", starfmm.Laplace3d, None])
def test_kernels(kernel):
    with pytest.raises(InputError, match="^kernel = "):
        starfmm.Sum(kernel, X)


def test_softening():
    with pytest.raises(InputError, match="^epsilon = -1"):
        starfmm.gravity(X, Q, starfmm.Plummer(-1))
    with pytest.raises(InputError, match="^softening = 0.1: must be starfmm.Plummer"):
        starfmm.gravity(X, Q, 0.1)
    with pytest.raises(InputError, match="^g = nan"):
        starfmm.gravity(X, Q, g=float("nan"))


LENGTHS = {
    "another kernel": (starfmm.Laplace3d(), Q, "^lengths: kernel laplace3d has none"),
    "Plummer's law": (starfmm.Gravity(), Q, "^lengths: with softening = Plummer"),
    "epsilon, too": (starfmm.Gravity(starfmm.Spline(0.1)), Q, "^epsilon: each body has a length"),
    "negative": (starfmm.Gravity(starfmm.Spline()), -Q, r"^lengths\[0\] = -.*must not be negative"),
    "NaN": (starfmm.Gravity(starfmm.Spline()), broken(Q, np.nan), "^lengths.5. = nan: must be finite"),
    "few": (starfmm.Gravity(starfmm.Spline()), Q[1:], "^lengths: 39 values, must be 40"),
    "complex": (starfmm.Gravity(starfmm.Spline()), 1j * Q, "^lengths: must be real"),
    "text": (starfmm.Gravity(starfmm.Spline()), "0.1", "^lengths: has numbers of type"),
}


@pytest.mark.parametrize("case", LENGTHS)
def test_lengths(case):
    kernel, lengths, message = LENGTHS[case]
    with pytest.raises(InputError, match=message):
        starfmm.Sum(kernel, X, lengths=lengths)


def test_masses_are_named():
    with pytest.raises(InputError, match=r"^m: has the shape \(39,\)"):
        starfmm.gravity(X, Q[1:])
    with pytest.raises(InputError, match=r"^m\[5\] = nan"):
        starfmm.gravity(X, broken(Q, np.nan))


def test_own_errors_are_of_bodies():
    with pytest.raises(InputError, match="^own_error: is of sums at the bodies"):
        starfmm.Sum(starfmm.Gravity(), X, targets=Y, own_error=1e-7)


OUT = {
    "shape": (np.empty(39), r"^out: has the shape \(39,\); values have \(40,\)"),
    "type": (np.empty(40, int), "^out: has numbers of type int64; must be float32 or float64"),
    "complex": (np.empty(40, complex), "^out: has numbers of type complex128"),
    "read-only": (np.broadcast_to(0.0, 40), "^out: is read-only"),
    "byte order": (np.empty(40, ">f8"), "^out: its numbers are not aligned"),
    "list": ([0.0] * 39, r"^out: has the shape \(39,\)"),
    "GPU": (OnGpu(), "^out: lies on a GPU"),
}


@pytest.mark.parametrize("case", OUT)
def test_out(case):
    given, message = OUT[case]
    with pytest.raises(InputError, match=message):
        starfmm.Sum(starfmm.Laplace3d(), X)(Q, out=given)


def test_out_of_parts():
    f = starfmm.Sum(starfmm.Laplace3d(gradient=True), X)
    with pytest.raises(InputError, match=r"^out: takes a tuple of 2 arrays, \(potential, gradient\)"):
        f(Q, out=np.empty((40, 4)))
    with pytest.raises(InputError, match=r"^out\[1\]: has the shape \(40, 2\)"):
        f(Q, out=(np.empty(40), np.empty((40, 2))))


def test_refused_strengths_leave_out_as_it_was():
    f, out = starfmm.Sum(starfmm.Laplace3d(), X), np.full(40, 7.0)
    with pytest.raises(InputError):
        f(broken(Q, np.nan), out=out)
    assert (out == 7).all()
    assert f.check(Q, f(Q, out=out)).are_allowed


def test_check_refuses():
    f = starfmm.Sum(starfmm.Laplace3d(), X)
    with pytest.raises(InputError, match="^n = 0"):
        f.check(Q, n=0)
    with pytest.raises(InputError, match="^values: has the shape"):
        f.check(Q, np.ones(39))


def test_real_strengths_alone():
    f = starfmm.Sum(starfmm.Harmonic2d(complex_strengths=False), X[:, :2])
    with pytest.raises(InputError, match="set complex_strengths=True"):
        f(1j * Q)


def test_errors_are_those_of_python():
    assert issubclass(InputError, ValueError) and issubclass(starfmm.Error, RuntimeError)
    assert InputError.__module__ == "starfmm"


def test_memory_that_is_not_there():
    # of 10^13 bytes; the address space may have them, no machine's memory does
    x = np.lib.stride_tricks.as_strided(X, (400_000_000_000, 3), (0, 8))
    with pytest.raises(MemoryError):
        starfmm.Sum(starfmm.Laplace3d(), x)
    assert starfmm.laplace3d(X, Q).shape == (40,)
