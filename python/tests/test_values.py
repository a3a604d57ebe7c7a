# SPDX-License-Identifier: BSD-3-Clause
"""Values of every kernel against direct sums in extended precision."""

import numpy as np
import pytest
from conftest import (
    M,
    N,
    error,
    exact_gravity,
    exact_harmonic,
    exact_laplace,
    exact_log,
)

import starfmm

GRADIENT_ALLOWANCE = 30  # of gradients in space, in terms of the tolerance


@pytest.mark.parametrize("method", ["fmm", "direct"])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-11])
@pytest.mark.parametrize("own", [False, True], ids=["sources", "targets"])
def test_laplace3d(random, tol, own, method):
    x, q = random.random((N, 3)), random.standard_normal(N)
    y = random.random((M, 3)) if own else None
    f = starfmm.Sum(starfmm.Laplace3d(gradient=True), x, y, tol=tol, method=method)
    potential, gradient = f(q)
    exact = exact_laplace(x, q, y)
    assert error(potential, exact[0]) < tol
    assert error(gradient, exact[1]) < GRADIENT_ALLOWANCE * tol
    assert f.report.method == method


@pytest.mark.parametrize("method", ["fmm", "direct"])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-11])
@pytest.mark.parametrize("own", [False, True], ids=["sources", "targets"])
def test_log2d(random, tol, own, method):
    x, q = random.random((N, 2)), random.standard_normal(N)
    y = random.random((M, 2)) if own else None
    f = starfmm.Sum(starfmm.Log2d(gradient=True), x, y, tol=tol, method=method)
    for found, exact in zip(f(q), exact_log(x, q, y), strict=True):
        assert error(found, exact) < tol


@pytest.mark.parametrize("method", ["fmm", "direct"])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-11])
@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
def test_harmonic2d(random, tol, is_complex, method):
    x = random.random((N, 2))
    q = random.standard_normal(N) + (1j * random.standard_normal(N) if is_complex else 0)
    f = starfmm.Sum(starfmm.Harmonic2d(is_complex), x, tol=tol, method=method)
    assert error(f(q), exact_harmonic(x, q)) < tol


@pytest.mark.parametrize("method", ["fmm", "direct"])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
def test_gravity(random, tol, method):
    x, m = random.standard_normal((N, 3)), random.random(N) + 0.5
    kernel = starfmm.Gravity(starfmm.Plummer(0.05), g=4.5, potential=True)
    f = starfmm.Sum(kernel, x, tol=tol, method=method)
    for found, exact in zip(f(m), exact_gravity(x, m, 0.05, 4.5), strict=True):
        assert error(found, exact) < tol


def test_gravity_at_targets(random):
    x, m = random.standard_normal((N, 3)), random.random(N) + 0.5
    y = random.standard_normal((M, 3))
    y[:5] = x[:5]
    exact = exact_gravity(x, m, 0.05, y=y)
    f = starfmm.Sum(starfmm.Gravity(starfmm.Plummer(0.05), potential=True), x, y, tol=1e-4)
    for found, right in zip(f(m), exact, strict=True):
        assert error(found, right) < 1e-4
    assert f.check(m).are_allowed
    assert error(starfmm.gravity(x, m, starfmm.Plummer(0.05), targets=y), exact[0]) < 1e-3


def test_gravity_of_the_median(random):
    x, m = random.standard_normal((4000, 3)), np.full(4000, 1 / 4000)
    f = starfmm.Sum(starfmm.Gravity(starfmm.Plummer(0.01)), x, tol=starfmm.Median(1e-3, 1e-2))
    errors = f.check(m)
    assert errors.are_allowed
    assert errors.parts[0].median < 1e-3


def test_gravity_of_splines_is_newtons_far_away():
    x = np.array([[0.0, 0, 0], [3, 0, 0]])
    a = starfmm.gravity(x, [1, 2], starfmm.Spline(1.0))
    assert a == pytest.approx(np.array([[2 / 9, 0, 0], [-1 / 9, 0, 0]]), rel=1e-3)


def test_functions_are_sums(random):
    x, q = random.random((N, 3)), random.random(N)
    y = random.random((M, 3))
    assert error(starfmm.laplace3d(x, q), exact_laplace(x, q)[0]) < 1e-6
    assert error(starfmm.laplace3d(x, q, y, tol=1e-9), exact_laplace(x, q, y)[0]) < 1e-9
    assert error(starfmm.laplace3d(x, q, gradient=True)[1], exact_laplace(x, q)[1]) < 3e-5
    assert error(starfmm.log2d(x[:, :2], q, tol=1e-8), exact_log(x[:, :2], q)[0]) < 1e-8
    assert error(starfmm.harmonic2d(x[:, :2], 1j * q), exact_harmonic(x[:, :2], 1j * q)) < 1e-6
    assert error(starfmm.gravity(x, q), exact_gravity(x, q, 1e-3)[0]) < 1e-3
    assert error(starfmm.gravity(x, q, potential=True)[1], exact_gravity(x, q, 1e-3)[1]) < 1e-3


def test_the_tolerance_of_many_points_is_kept(random):
    x, q = random.random((50_000, 3)), random.random(50_000)
    f = starfmm.Sum(starfmm.Laplace3d(), x, tol=1e-8)
    errors = f.check(q, f(q), n=500)
    assert errors.are_allowed and errors.checked == 500
    assert "within the tolerance" in repr(errors)
    wrong = f(q)
    wrong[:] += 1e-4 * wrong
    errors = f.check(q, wrong)
    assert not errors.are_allowed
    assert errors.parts[0].l2 == pytest.approx(1e-4, rel=1e-3)


def test_points_that_coincide_do_not_interact():
    assert starfmm.laplace3d([[0, 0, 0], [0, 0, 0], [1, 0, 0]], [1, 1, 1]) == pytest.approx([1, 1, 2])


def test_one_point():
    assert starfmm.laplace3d(np.zeros((1, 3)), [1.0]).tolist() == [0.0]
    assert starfmm.harmonic2d(np.array([1j]), [1.0]).tolist() == [0.0]


def test_integers_are_numbers():
    assert starfmm.laplace3d([[0, 0, 0], [0, 0, 2]], [1, 4]).tolist() == [2.0, 0.5]


@pytest.mark.parametrize("kernel", [starfmm.Laplace3d(), starfmm.Log2d(gradient=True), starfmm.Harmonic2d()])
def test_near_fields_are_sums_over_touching_boxes(random, kernel):
    dimension = 3 if isinstance(kernel, starfmm.Laplace3d) else 2
    x, y, q = random.random((N, dimension)), random.random((M, dimension)), random.standard_normal(N)
    found = starfmm.near_field(kernel, x, q, 3, y)
    right = starfmm.Sum(kernel, x, y, method="near_field", levels=3)
    assert right.check(q, found).are_allowed
    whole = starfmm.near_field(kernel, x, q, 1, y)  # all boxes touch
    assert starfmm.Sum(kernel, x, y, 1e-9).check(q, whole).are_allowed
