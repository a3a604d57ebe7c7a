# SPDX-License-Identifier: BSD-3-Clause
"""Sums that are kept: moved, reported, chosen, as operators, and runs of bodies."""

import dataclasses
import pickle

import numpy as np
import pytest
from conftest import M, N, error, exact_harmonic, exact_laplace, exact_log

import starfmm


def test_points_move(random):
    y = random.random((M, 3))
    f = starfmm.Sum(starfmm.Laplace3d(), random.random((N, 3)), y)
    x, q = random.random((N + 5, 3)), random.random(N + 5)
    f.move(x)  # the targets stay
    assert (f.n_sources, f.n_targets) == (N + 5, M)
    assert error(f(q), exact_laplace(x, q, y)[0]) < 1e-6
    f.move(x, y[:-7])
    assert f.n_targets == M - 7
    assert error(f(q), exact_laplace(x, q, y[:-7])[0]) < 1e-6


def test_sources_that_are_targets_move_together(random):
    f = starfmm.Sum(starfmm.Log2d(), random.random((N, 2)))
    x, q = random.random((N - 9, 2)), random.random(N - 9)
    f.move(x)
    assert f.n_targets == N - 9
    assert error(f(q), exact_log(x, q)[0]) < 1e-6


def test_a_move_that_is_refused(random):
    x, q = random.random((N, 3)), random.random(N)
    f = starfmm.Sum(starfmm.Laplace3d(), x)
    with pytest.raises(starfmm.InputError, match="^x: has the shape"):
        f.move(x[:, :2])
    assert error(f(q), exact_laplace(x, q)[0]) < 1e-6


def test_softening_lengths_of_bodies(random):
    x, m, h = random.random((N, 3)), random.random(N), 10 ** (-4 * random.random(N))
    d = x[None] - x[:, None]
    u = np.sqrt((d**2).sum(-1)) / (2.8 * np.maximum(h, h[:, None]))
    inside = 32 / 3 + u**2 * (32 * u - 192 / 5)  # the spline's force, over distance and the length's cube
    with np.errstate(divide="ignore", invalid="ignore"):
        outside = 64 / 3 - 48 * u + 192 / 5 * u**2 - 32 / 3 * u**3 - 1 / (15 * u**3)
        factor = np.where(u < 0.5, inside, np.where(u < 1, outside, u**-3.0))
    pairs = m[:, None] * d * (factor / (2.8 * np.maximum(h, h[:, None])) ** 3)[..., None]
    spline = starfmm.Spline()
    assert error(starfmm.gravity(x, m, spline, tol=1e-8, lengths=h), pairs.sum(1)) < 1e-8
    f = starfmm.Sum(starfmm.Gravity(spline), x[::-1], tol=1e-8, lengths=np.float32(h[::-1]))
    assert f.check(m).are_allowed
    f.move(x, lengths=h)
    f.move(x)  # the lengths stay
    assert error(f(m), pairs.sum(1)) < 1e-8


def test_the_report(random):
    f = starfmm.Sum(starfmm.Laplace3d(), random.random((5000, 3)), tol=1e-5, method="fmm")
    f(random.random(5000))
    report = f.report
    assert report.kernel == "laplace3d" and report.method == "fmm" and report.tree == "orthtree"
    assert report.n_sources == report.n_targets == 5000
    assert report.order > 0 and 0 < report.theta < 1 and report.leaves > 1
    assert report.plan_s > 0 and report.evaluate_s > 0
    assert report.tolerance == 1e-5 and 0 < report.reachable_tolerance <= 1e-5
    assert report.precision in ("double", "mixed") and report.cores >= 1
    assert "5000 sources" in repr(report) and "order" in repr(report)
    assert "Laplace3d" in repr(f) and "order" in repr(f)


def test_info_is_a_value(random):
    x = random.random((5000, 2))
    f = starfmm.Sum(starfmm.Log2d(), x, tol=1e-5, method="fmm", tree="pyramid", levels=3, order=17)
    info = f.info
    f(random.random(5000))
    assert f.info == info and pickle.loads(pickle.dumps(info)) == info
    assert (info.method, info.tree, info.levels, info.order) == ("fmm", "pyramid", 3, 17)
    assert info.tolerance == 1e-5 and info.n_sources == info.n_targets == 5000
    with pytest.raises(dataclasses.FrozenInstanceError):
        info.order = 18
    f.move(x[:4000])
    assert f.info.n_sources == 4000 and f.info != info


def test_info_without_a_tree(random):
    x = random.random((100, 3))
    direct = starfmm.Sum(starfmm.Laplace3d(), x, method="direct").info
    assert direct.method == "direct"
    assert direct.tree is direct.order is direct.theta is direct.levels is None
    near = starfmm.Sum(starfmm.Laplace3d(), x, method="near_field", levels=2).info
    assert near.levels == 2 and near.order is None


def test_choices_choose_the_same(random):
    x, q = random.random((5000, 3)), random.random(5000)
    f = starfmm.Sum(starfmm.Laplace3d(), x, tol=1e-5, method="fmm")
    phi = f(q)
    again = starfmm.Sum(starfmm.Laplace3d(), x, tol=1e-5, method="fmm", **f.choices)
    assert again(q) == pytest.approx(phi, rel=1e-10)
    assert again.choices == f.choices
    assert {"tree", "order", "theta", "leaf_size"} <= set(f.choices)


def test_choices_are_kept(random):
    f = starfmm.Sum(
        starfmm.Log2d(), random.random((5000, 2)), method="fmm", tree="pyramid", order=17, levels=3
    )
    f(random.random(5000))
    assert f.choices["order"] == 17 and f.choices["levels"] == 3 and f.report.tree == "pyramid"


@pytest.mark.parametrize("precision", ["double", "mixed", "single"])
def test_precision_is_kept(random, precision):
    f = starfmm.Sum(starfmm.Laplace3d(), random.random((N, 3)), tol=1e-4, precision=precision)
    f(random.random(N))
    assert f.report.precision == precision


def test_check_evaluates_where_no_values_are_given(random):
    f = starfmm.Sum(starfmm.Laplace3d(gradient=True), random.random((N, 3)))
    q = random.random((2, N))
    errors = f.check(q)
    assert errors.are_allowed and [part.name for part in errors.parts] == ["potential", "gradient"]
    potential, gradient = f(q)
    assert f.check(q, (potential, gradient)).are_allowed
    assert not f.check(q, (potential, -gradient)).are_allowed


def test_kernels_are_values():
    assert starfmm.Gravity(starfmm.Plummer(1e-3)) == starfmm.Gravity(starfmm.Plummer(1e-3))
    assert repr(starfmm.Laplace3d(gradient=True)) == "Laplace3d(gradient=True)"
    assert len({starfmm.Log2d(), starfmm.Log2d(True), starfmm.Log2d()}) == 2


def test_gmres_solves_with_a_sum(random):
    linalg = pytest.importorskip("scipy.sparse.linalg")
    x = random.random((N, 3))
    f = starfmm.Sum(starfmm.Laplace3d(), x, tol=1e-10)
    potentials = f.as_linear_operator()
    assert potentials.shape == (N, N) and potentials.dtype == np.float64
    scaled = 1e-4 * potentials
    matrix = linalg.aslinearoperator(np.eye(N)) + scaled
    right = random.random(N)
    q, info = linalg.gmres(matrix, right, rtol=1e-9)
    assert info == 0
    assert q + 1e-4 * exact_laplace(x, q)[0].astype(float) == pytest.approx(right, rel=1e-7)


def test_an_operator_is_the_matrix(random):
    pytest.importorskip("scipy")
    x, y = random.random((50, 2)), random.random((30, 2))
    a = starfmm.Sum(starfmm.Harmonic2d(), x, y, tol=1e-12).as_linear_operator()
    exact = exact_harmonic(x, np.eye(50), y).T
    assert a.shape == (30, 50) and a.dtype == np.complex128
    q = random.random((50, 6)) + 1j * random.random((50, 6))
    assert error(a @ q, exact @ q) < 1e-11
    assert error(a @ q[:, 0], exact @ q[:, 0]) < 1e-11
    v = random.random((30, 6)) + 1j * random.random((30, 6))
    assert error(a.H @ v, exact.conj().T @ v) < 1e-11


@pytest.mark.parametrize("m", [None, 40], ids=["sources", "targets"])
@pytest.mark.parametrize("kernel", [starfmm.Harmonic2d(), starfmm.Log2d()], ids=["harmonic", "log"])
def test_the_adjoint(random, kernel, m):
    pytest.importorskip("scipy")
    y = None if m is None else random.random((m, 2))
    a = starfmm.Sum(kernel, random.random((60, 2)), y, tol=1e-12).as_linear_operator()
    v, q = random.random((2, m or 60)) + 1j * random.random((2, m or 60)), random.random(60)
    for each in v:
        assert np.vdot(each, a @ q) == pytest.approx(np.vdot(a.rmatvec(each), q), rel=1e-10)
        assert (a.H @ each) == pytest.approx(a.rmatvec(each))


def test_the_adjoint_is_of_the_present_points(random):
    linalg = pytest.importorskip("scipy.sparse.linalg")
    x, y = random.random((20, 3)), random.random((200, 3))
    f = starfmm.Sum(starfmm.Laplace3d(), x, y, tol=1e-11)
    a = f.as_linear_operator()
    v = random.random(200)
    assert error(a.rmatvec(v), exact_laplace(y, v, x)[0]) < 1e-10
    moved = random.random((20, 3))
    f.move(moved)  # the targets stay
    expected = exact_laplace(y, v, moved)[0]
    moved[:] = y[:] = 0  # the sum has points of its own
    assert error(a.rmatvec(v), expected) < 1e-10
    q = random.random(20)
    assert linalg.lsqr(a, f(q), atol=1e-12, btol=1e-12)[0] == pytest.approx(q, rel=1e-5)


def test_sums_of_vectors_are_no_matrix(random):
    pytest.importorskip("scipy")
    for kernel in (starfmm.Laplace3d(gradient=True), starfmm.Gravity()):
        with pytest.raises(starfmm.InputError, match="^kernel = "):
            starfmm.Sum(kernel, random.random((10, 3))).as_linear_operator()


def two_bodies():
    """On a circle of radius 1/2 about each other, with the period 2 pi."""
    return np.array([[0.5, 0, 0], [-0.5, 0, 0]]), np.array([[0, 0.5, 0], [0, -0.5, 0]]), [0.5, 0.5]


def after_a_turn(steps):
    x, v, m = two_bodies()
    f = starfmm.Sum(starfmm.Gravity(starfmm.Plummer(0), potential=True), x)
    run = starfmm.Leapfrog(f, x, v, m, 2 * np.pi / steps)
    a, potential = run.values
    assert a[0] == pytest.approx([-0.5, 0, 0]) and potential == pytest.approx([-0.5, -0.5])
    start = run.conserved
    assert start.kinetic == pytest.approx(1 / 8) and start.potential == pytest.approx(-1 / 4)
    assert start.angular_momentum == pytest.approx((0, 0, 1 / 4))
    run.step(steps)
    assert run.time == pytest.approx(2 * np.pi)
    assert run.conserved.energy == pytest.approx(start.energy, rel=1e-3)
    return run


def test_bodies_go_round():
    x, v, _ = two_bodies()
    runs = [after_a_turn(steps) for steps in (100, 200, 400)]
    errors = [np.abs(run.positions - x).max() for run in runs]
    assert errors[2] < 1e-3
    # of second order: a quarter with half the step, but for terms of the fourth
    assert errors[1] / errors[2] == pytest.approx(4, rel=5e-3)
    assert runs[2].velocities == pytest.approx(v, abs=1e-3)
    kept = runs[2].positions
    runs[2].step()
    assert (kept != runs[2].positions).any()  # it was a copy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dt": 0}, "^dt = 0"),
        ({"dt": "x"}, "^dt = 'x': must be a finite number"),
        ({"v": np.zeros((3, 3))}, "^velocities: "),
        ({"m": [1.0]}, r"^m: has the shape \(1,\)"),
        ({"m": np.ones((2, 2))}, r"^m: has the shape \(2, 2\)"),
        ({"f": None}, "^f = None"),
    ],
)
def test_runs_refuse(change, message):
    x, v, m = two_bodies()
    given = {"f": starfmm.Sum(starfmm.Gravity(), x), "x": x, "v": v, "m": m, "dt": 1e-3}
    with pytest.raises(starfmm.InputError, match=message):
        starfmm.Leapfrog(**(given | change))


def test_runs_need_accelerations():
    x, v, m = two_bodies()
    with pytest.raises(starfmm.InputError, match="do not begin with an acceleration"):
        starfmm.Leapfrog(starfmm.Sum(starfmm.Laplace3d(), x), x, v, m, 1e-3)
    run = starfmm.Leapfrog(starfmm.Sum(starfmm.Gravity(), x), x, v, m, 1e-3)
    with pytest.raises(starfmm.InputError, match="potential"):
        run.conserved  # noqa: B018


def test_choices_have_a_tree_of_points():
    x = np.random.default_rng(3).random((4000, 3))
    f = starfmm.Sum(starfmm.Gravity(), x, tol=1e-8, method="fmm")
    values = f(np.ones(4000))
    assert f.choices["far_field"] == "harmonics"
    g = starfmm.Sum(starfmm.Gravity(), x, tol=1e-8, method="fmm", **f.choices)
    assert (g(np.ones(4000)) == values).all()
