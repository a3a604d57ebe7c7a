# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of any shape, type and strides give the same values."""

import numpy as np
import pytest
from conftest import M, N, error, exact_harmonic, exact_laplace

import starfmm


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def unaligned(a):
    bytes_ = np.zeros(a.nbytes + 1, np.uint8)
    b = np.ndarray(a.shape, a.dtype, bytes_, offset=1)
    b[...] = a
    return b


def in_record(a):
    """Columns of a structured array, five bytes apart from the next."""
    record = np.zeros(len(a), np.dtype([("a", a.dtype, a.shape[1:]), ("b", "u1", 5)]))
    record["a"] = a
    return record["a"]


class Exported:
    """What exports its memory by DLPack, and is no array of numpy's."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "every second": lambda a: np.repeat(a, 2, axis=0)[::2],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "wide rows": lambda a: np.concatenate([a, a], axis=-1)[..., : a.shape[-1]],
    "read-only": read_only,
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "unaligned": unaligned,
    "record": in_record,
    "list": lambda a: a.tolist(),
    "memoryview": memoryview,
    "DLPack": Exported,
}


@pytest.fixture(scope="module")
def expected():
    random = np.random.default_rng(1)
    x, q = random.random((N, 3)), random.random(N)
    return x, q, starfmm.laplace3d(x, q)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_points_may_lie_anyhow(expected, layout):
    x, q, phi = expected
    assert starfmm.laplace3d(LAYOUTS[layout](x), q) == pytest.approx(phi, rel=1e-12)


@pytest.mark.parametrize("layout", [each for each in LAYOUTS if each != "transposed"])
def test_strengths_may_lie_anyhow(expected, layout):
    x, q, phi = expected
    assert starfmm.laplace3d(x, LAYOUTS[layout](q)) == pytest.approx(phi, rel=1e-12)


def test_strengths_of_one_number_for_all(expected):
    x = expected[0]
    ones = starfmm.laplace3d(x, np.ones(N))
    assert starfmm.laplace3d(x, np.broadcast_to(1.0, N)) == pytest.approx(ones, rel=1e-12)


def test_arrays_are_read_where_they_lie(expected):
    from starfmm._arrays import as_real, points_of, strengths_of

    x = np.asfortranarray(expected[0])
    assert np.shares_memory(points_of(x[::2], "x", 3), x)
    z = np.zeros((3, 2 * N), np.complex64)
    strengths = strengths_of(z[:, ::2], "q", N, True)
    assert np.shares_memory(as_real(strengths), z)
    as_real(strengths)[1, 5, 1] = 7
    assert z[1, 10] == 7j


@pytest.mark.parametrize("number", [np.float32, np.float64, np.float16, np.int32, np.uint8, bool])
def test_types_of_strengths(random, number):
    x, q = random.random((N, 3)), (10 * random.random(N)).astype(number)
    phi = starfmm.laplace3d(x, q)
    assert phi.dtype == (np.float32 if number == np.float32 else np.float64)
    assert error(phi, exact_laplace(x, q)[0]) < 1e-6


def test_points_in_single_precision(random):
    x, q = random.random((N, 3)).astype(np.float32), random.random(N)
    phi = starfmm.laplace3d(x, q, tol=1e-9)
    assert phi.dtype == np.float64
    assert error(phi, exact_laplace(x, q)[0]) < 1e-9


@pytest.mark.parametrize("number", [np.complex64, np.complex128, np.float32, np.float64])
def test_complex_values_have_the_precision_of_strengths(random, number):
    z = random.random(N) + 1j * random.random(N)
    q = (random.random(N) + (1j if np.issubdtype(number, np.complexfloating) else 0)).astype(number)
    phi = starfmm.harmonic2d(z, q)
    assert phi.dtype == (np.complex64 if np.dtype(number).char in "fF" else np.complex128)
    assert error(phi, exact_harmonic(np.stack((z.real, z.imag), -1), q)) < 1e-6


def test_complex_points_are_points_of_the_plane(random):
    x, y, q = random.random((N, 2)), random.random((M, 2)), random.random(N)
    z, w = x[:, 0] + 1j * x[:, 1], y[:, 0] + 1j * y[:, 1]
    assert (starfmm.log2d(z, q, w) == starfmm.log2d(x, q, y)).all()
    assert (starfmm.harmonic2d(z, q, y) == starfmm.harmonic2d(x, q, w)).all()


@pytest.mark.parametrize("own", [False, True], ids=["sources", "targets"])
@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_right_hand_sides_come_in_front(random, k, own):
    x, q = random.random((N, 3)), random.standard_normal((k, N))
    y = random.random((M, 3)) if own else None
    potential, gradient = starfmm.laplace3d(x, q, y, gradient=True)
    m = M if own else N
    assert potential.shape == (k, m) and gradient.shape == (k, m, 3)
    exact = exact_laplace(x, q, y)
    for i in range(k):
        assert error(potential[i], exact[0][i]) < 1e-6
        assert error(gradient[i], exact[1][i]) < 3e-5


def test_right_hand_sides_of_complex_strengths(random):
    x, q = random.random((N, 2)), random.random((3, N)) + 1j * random.random((3, N))
    phi = starfmm.harmonic2d(x, q.T.copy().T)
    assert phi.shape == (3, N)
    assert error(phi, exact_harmonic(x, q)) < 1e-6


def test_right_hand_sides_of_masses(random):
    x, m = random.random((N, 3)), random.random((2, N))
    a, potential = starfmm.gravity(x, m, potential=True)
    assert a.shape == (2, N, 3) and potential.shape == (2, N)
    assert a[1] == pytest.approx(starfmm.gravity(x, m[1]), rel=1e-9)


@pytest.mark.parametrize("shape", [(N, 1), (1, N), (3, N, 1)])
def test_strengths_may_have_an_extent_of_one(random, shape):
    x, q = random.random((N, 3)), random.random(shape)
    phi = starfmm.laplace3d(x, q)
    flat = q[..., 0] if shape[-1] == 1 else q
    assert phi.shape == flat.shape
    assert error(phi, exact_laplace(x, flat)[0]) < 1e-6


@pytest.mark.parametrize("shape, front", [((1,), ()), ((1, 1), (1,)), ((2, 1), (2,)), ((2, 1, 1), (2,))])
def test_one_source_has_right_hand_sides_in_front(shape, front):
    targets, q = [[0, 0, 2], [0, 4, 0]], np.full(shape, 4.0)
    potential, gradient = starfmm.laplace3d([[0, 0, 0]], q, targets, gradient=True)
    assert potential.shape == (*front, 2) and gradient.shape == (*front, 2, 3)
    assert potential == pytest.approx(np.broadcast_to([2, 1], potential.shape))
    a = starfmm.gravity([[0, 0, 0]], q)
    assert a.shape == (*front, 1, 3) and not a.any()


def test_out_is_written_and_returned(random):
    x, q = random.random((N, 3)), random.random((2, N))
    f = starfmm.Sum(starfmm.Laplace3d(gradient=True), x)
    expected = f(q)
    out = (np.full((N, 2), np.nan).T, np.full((3, N, 2), np.nan, np.float32).T)
    assert f(q, out=out) is out
    assert (out[0] == expected[0]).all()
    assert (out[1] == expected[1].astype(np.float32)).all()


def test_out_of_complex_numbers(random):
    z, q = random.random(N) + 1j * random.random(N), random.random(N)
    f = starfmm.Sum(starfmm.Harmonic2d(False), z)
    wide = np.full(2 * N, np.nan, np.complex128)
    f(q, out=wide[::2])
    assert (wide[::2] == f(q)).all() and np.isnan(wide[1::2]).all()


def test_strengths_may_be_overwritten(random):
    x, q = random.random((N, 3)), random.random(N)
    f = starfmm.Sum(starfmm.Laplace3d(), x)
    expected = f(q)
    f(q, out=q)
    assert (q == expected).all()


def test_values_are_contiguous(random):
    x, q = random.random((N, 3)), random.random((2, N))
    for part in starfmm.laplace3d(x, q, gradient=True):
        assert part.flags.c_contiguous and part.flags.owndata
