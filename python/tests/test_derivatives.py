# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives by strengths and by places, against sums in extended precision and differences."""

import numpy as np
import pytest
from conftest import M, N, error, exact_gravity, exact_laplace, exact_log

import starfmm
from starfmm._derivatives import Potentials

TOL = 1e-9
KERNELS = [(starfmm.Laplace3d(), 3, exact_laplace), (starfmm.Log2d(), 2, exact_log)]


def by_hand(exact, x, q, y, g):
    """What a loss with the derivative g by the potentials gains from x, q and y."""
    psi, psi_gradient = exact(y if y is not None else x, g, None if y is None else x)
    _, gradient = exact(x, q, y)
    by_x = (q[..., None] * psi_gradient).reshape(-1, *x.shape).sum(0)
    by_y = (g[..., None] * gradient).reshape(-1, *(x if y is None else y).shape).sum(0)
    return (by_x + by_y, psi, None) if y is None else (by_x, psi, by_y)


def case(random, dimension, with_targets, n_sums):
    front = () if n_sums == 0 else (n_sums,)
    x = random.random((N, dimension))
    y = random.random((M, dimension)) if with_targets else None
    q = random.standard_normal((*front, N))
    return x, q, y, random.standard_normal((*front, M if with_targets else N))


@pytest.mark.parametrize("n_sums", [0, 1, 3])
@pytest.mark.parametrize("with_targets", [False, True])
@pytest.mark.parametrize(("kernel", "dimension", "exact"), KERNELS)
def test_derivatives_are_those_of_the_loss(random, kernel, dimension, exact, with_targets, n_sums):
    x, q, y, g = case(random, dimension, with_targets, n_sums)
    sums = Potentials(kernel, x, y, TOL)
    _, gradient = sums(q, gradient=True)
    found = sums.pulled_back(q, g, gradient, wants_x=True, wants_targets=True)
    for one, right in zip(found, by_hand(exact, x, q, y, g), strict=True):
        assert (one is None) == (right is None)
        assert one is None or error(one, right) < 100 * TOL


def test_kernels_without_potentials_are_refused():
    with pytest.raises(starfmm.InputError, match="has no derivatives here"):
        Potentials(starfmm.Harmonic2d(), np.zeros((3, 2)), None, TOL)


class TestTorch:
    @pytest.fixture(autouse=True)
    def torch(self):
        self.torch = pytest.importorskip("torch")
        self.sums = pytest.importorskip("starfmm.torch")

    def tensors(self, *arrays, dtype="float64"):
        return [
            None if a is None else self.torch.tensor(a, dtype=getattr(self.torch, dtype), requires_grad=True)
            for a in arrays
        ]

    @pytest.mark.parametrize("with_targets", [False, True])
    @pytest.mark.parametrize(("kernel", "dimension", "exact"), KERNELS)
    def test_backward(self, random, kernel, dimension, exact, with_targets):
        x, q, y, g = case(random, dimension, with_targets, 2)
        tensors = self.tensors(x, q, y)
        phi = self.sums.potentials(kernel, *tensors, tol=TOL)
        assert error(phi.detach().numpy(), exact(x, q, y)[0]) < TOL
        phi.backward(self.torch.tensor(g))
        for tensor, right in zip(tensors, by_hand(exact, x, q, y, g), strict=True):
            assert tensor is None or error(tensor.grad.numpy(), right) < 100 * TOL

    @pytest.mark.parametrize("with_targets", [False, True])
    def test_gradcheck(self, random, with_targets):
        x, q, y, _ = case(random, 3, with_targets, 0)
        few = self.tensors(x[:12], q[:12], None if y is None else y[:7])
        assert self.torch.autograd.gradcheck(
            lambda x, q, *y: self.sums.laplace3d(x, q, *y, tol=1e-12), [t for t in few if t is not None]
        )

    def test_gravity(self, random):
        x, m = random.random((60, 3)), random.random(60)
        places, masses = self.tensors(x, m)
        phi = self.sums.gravity_potential(places, masses, starfmm.Plummer(0.05), tol=1e-6)
        acceleration, potential = exact_gravity(x, m, 0.05)
        assert error(phi.detach().numpy(), potential) < 1e-6
        (0.5 * masses.detach() * phi).sum().backward()  # the energy, whose gradient is minus the force
        assert error(-places.grad.numpy() / m[:, None], acceleration) < 1e-5

    def test_gravity_at_targets(self, random):
        x, y, m = random.random((60, 3)), random.random((20, 3)), random.random(60)
        places, masses, targets = self.tensors(x, m, y)
        law = starfmm.Plummer(0.05)
        phi = self.sums.gravity_potential(places, masses, law, tol=1e-6, targets=targets)
        acceleration, potential = exact_gravity(x, m, 0.05, y=y)
        assert error(phi.detach().numpy(), potential) < 1e-6
        phi.sum().backward()
        assert error(-targets.grad.numpy(), acceleration) < 1e-5
        assert np.allclose(targets.grad.sum(0), -places.grad.sum(0), rtol=1e-4)  # only distances count

    def test_only_what_is_asked_for(self, random):
        x, q, y, _ = case(random, 2, True, 0)
        places = self.torch.tensor(x)
        (strengths,) = self.tensors(q)
        self.sums.log2d(places, strengths, self.torch.tensor(y), TOL).sum().backward()
        assert places.grad is None
        assert error(strengths.grad.numpy(), exact_log(y, np.ones(M), x)[0]) < TOL

    def test_single_precision(self, random):
        x, q, _, _ = case(random, 3, False, 0)
        tensors = self.tensors(x, q, dtype="float32")
        phi = self.sums.laplace3d(*tensors, tol=1e-4)
        phi.sum().backward()
        assert {phi.dtype, *(tensor.grad.dtype for tensor in tensors)} == {self.torch.float32}

    def test_bad_input(self, random):
        x, q, _, _ = case(random, 3, False, 0)
        tensor = self.torch.tensor(x)
        with pytest.raises(starfmm.InputError, match="q: must be a tensor"):
            self.sums.laplace3d(tensor, q)
        with pytest.raises(starfmm.InputError, match="q: "):
            self.sums.laplace3d(tensor, self.torch.ones(3, dtype=self.torch.float64))


class TestJax:
    @pytest.fixture(autouse=True)
    def jax(self):
        self.jax = pytest.importorskip("jax")
        self.sums = pytest.importorskip("starfmm.jax")
        self.jax.config.update("jax_enable_x64", True)
        yield
        self.jax.config.update("jax_enable_x64", False)

    @pytest.mark.parametrize("is_jitted", [False, True])
    @pytest.mark.parametrize("with_targets", [False, True])
    @pytest.mark.parametrize(("kernel", "dimension", "exact"), KERNELS)
    def test_gradients(self, random, kernel, dimension, exact, with_targets, is_jitted):
        x, q, y, g = case(random, dimension, with_targets, 2)

        def loss(x, q, y):
            return (self.sums.potentials(kernel, x, q, y, TOL) * g).sum()

        gradients = self.jax.grad(loss, (0, 1, 2) if with_targets else (0, 1))
        found = (self.jax.jit(gradients) if is_jitted else gradients)(x, q, y)
        for one, right in zip(found, by_hand(exact, x, q, y, g), strict=False):
            assert error(np.asarray(one), right) < 100 * TOL

    def test_gravity(self, random):
        x, m = random.random((60, 3)), random.random(60)

        def energy(x):
            return (0.5 * m * self.sums.gravity_potential(x, m, starfmm.Plummer(0.05), tol=1e-6)).sum()

        acceleration, _ = exact_gravity(x, m, 0.05)
        assert error(-np.asarray(self.jax.grad(energy)(x)) / m[:, None], acceleration) < 1e-5

    def test_many_points_inside_jit(self, random):
        x = random.random((200_000, 3)).astype(np.float32)
        q = np.ones(len(x), np.float32)
        by_q = self.jax.jit(self.jax.grad(lambda q: self.sums.laplace3d(x, q, tol=1e-3).sum()))(q)
        assert by_q.dtype == np.float32
        phi = starfmm.laplace3d(x, q, tol=1e-6)
        assert np.linalg.norm(by_q - phi) < 2e-3 * np.linalg.norm(phi)

    def test_bad_input(self):
        with pytest.raises(Exception, match="q: "):
            self.sums.laplace3d(np.zeros((3, 3)), np.zeros(2)).block_until_ready()
