# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in a GPU's memory."""

import numpy as np
import pytest

import starfmm
from starfmm import InputError

X, Q = np.random.rand(3000, 3), np.random.rand(3000) - 0.5


class Posing:
    """Memory of the host that says it is a GPU's: what does not look into it is none the wiser."""

    def __init__(self, array):
        self._array = array
        self.__cuda_array_interface__ = dict(array.__array_interface__, version=3)


class TestWithoutGpus:
    """What a runtime of cores says."""

    @pytest.fixture(autouse=True)
    def cores(self):
        with starfmm.runtime(cores=1, gpus=0):
            yield

    def test_points(self):
        with pytest.raises(InputError, match="^x: lies on GPU 0, which"):
            starfmm.Sum(starfmm.Laplace3d(), Posing(X))

    def test_strengths(self):
        with pytest.raises(InputError, match="pass out="):
            starfmm.Sum(starfmm.Laplace3d(), X)(Posing(Q))
        out = np.zeros(len(X))
        with pytest.raises(InputError, match="^q: lies on GPU 0, which"):
            starfmm.Sum(starfmm.Laplace3d(), X)(Posing(Q), out=out)
        assert not out.any()

    def test_values(self):
        out = np.zeros(len(X))
        with pytest.raises(InputError, match="lies on GPU 0, which"):
            starfmm.Sum(starfmm.Laplace3d(), X)(Q, out=Posing(out))
        assert not out.any()

    def test_shapes_and_types(self):
        with pytest.raises(InputError, match=r"^x: has the shape \(3000, 2\)"):
            starfmm.Sum(starfmm.Laplace3d(), Posing(X[:, :2]))
        with pytest.raises(InputError, match="^x: has numbers of type int64 on a GPU"):
            starfmm.Sum(starfmm.Laplace3d(), Posing(X.astype(int)))
        with pytest.raises(InputError, match="^q: has real numbers on a GPU"):
            starfmm.Sum(starfmm.Harmonic2d(complex_strengths=True), X[:, :2])(Posing(Q))


def modules():
    """Those that are here and find a GPU: their name, and how an array comes to the GPU."""
    found = []
    try:
        import torch

        if torch.cuda.is_available():
            found.append(("torch", lambda x: torch.from_numpy(np.ascontiguousarray(x)).cuda()))
    except ImportError:
        pass
    try:
        import cupy

        if cupy.cuda.runtime.getDeviceCount() > 0:
            found.append(("cupy", cupy.asarray))
    except Exception:  # of many kinds without a GPU
        pass
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() == "gpu":
            found.append(("jaxlib", jax.numpy.asarray))
    except Exception:  # likewise
        pass
    return found


FOUND = modules()


def at_home(array):
    if hasattr(array, "cpu"):
        return array.cpu().numpy()
    return array.get() if hasattr(array, "get") else np.asarray(array)


def test_there_is_one_or_it_is_said():
    if not FOUND:
        pytest.skip("neither torch nor CuPy finds a GPU")


@pytest.mark.parametrize("name, to_gpu", FOUND)
@pytest.mark.parametrize("dtype, tol", [("f8", 1e-6), ("f4", 1e-5)])
def test_sums_are_those_of_the_host(name, to_gpu, dtype, tol):
    x, q = X.astype(dtype), Q.astype(dtype)
    phi, gradient = starfmm.laplace3d(x, q, tol=tol, gradient=True)
    f = starfmm.Sum(starfmm.Laplace3d(gradient=True), to_gpu(x), tol=tol)
    given = to_gpu(q)
    of_gpu = f(given)
    assert all(type(part).__module__.split(".")[0] == name for part in of_gpu)
    assert of_gpu[1].shape == (3000, 3)
    assert np.allclose(at_home(of_gpu[0]), phi, atol=10 * tol * np.abs(phi).max())
    assert np.allclose(at_home(of_gpu[1]), gradient, atol=100 * tol * np.abs(gradient).max())
    assert f.check(given, of_gpu, n=100).are_allowed
    if name != "jaxlib":  # whose parts of arrays are copies
        rows = to_gpu(np.zeros((3000, 4), dtype))
        assert f(given, out=(rows[:, 0], rows[:, 1:])) is not None
        assert np.allclose(at_home(rows)[:, 0], phi, atol=10 * tol * np.abs(phi).max())
    host = f(q)  # of the host's strengths, to the host
    assert isinstance(host[0], np.ndarray)
    f.move(x)
    assert f.check(q, n=100).are_allowed


@pytest.mark.parametrize("name, to_gpu", FOUND)
def test_complex_numbers_and_right_hand_sides(name, to_gpu):
    z, q = X[:, 0] + 1j * X[:, 1], np.random.rand(2, 3000) + 1j
    phi = starfmm.harmonic2d(z, q)
    of_gpu = starfmm.harmonic2d(to_gpu(z), to_gpu(q))
    assert of_gpu.shape == (2, 3000)
    assert np.allclose(at_home(of_gpu), phi, rtol=1e-4)
    masses = starfmm.gravity(X, np.abs(Q), tol=1e-3)
    assert np.allclose(at_home(starfmm.gravity(to_gpu(X), to_gpu(np.abs(Q)), tol=1e-3)), masses, rtol=1e-1)
