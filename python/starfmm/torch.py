# SPDX-License-Identifier: BSD-3-Clause
"""Potentials that torch differentiates, by strengths and by places.

>>> import torch, starfmm.torch
>>> x = torch.rand(100, 3, dtype=torch.float64, requires_grad=True)
>>> energy = starfmm.torch.laplace3d(x, torch.ones(100, dtype=torch.float64)).sum()
>>> energy.backward()
>>> x.grad.shape
torch.Size([100, 3])

Tensors lie on the CPU or on one GPU, where they stay. Derivatives are sums, too: one with sources and
targets exchanged, and with gradients for what places do. Their errors are those of potentials and
gradients (`starfmm.Laplace3d`). Second derivatives are not there.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from ._derivatives import PotentialKernel, Potentials
from ._errors import InputError
from ._kernels import Gravity, Laplace3d, Log2d, Plummer, Spline, Tolerance

__all__ = ["gravity_potential", "laplace3d", "log2d", "potentials"]


def potentials(
    kernel: PotentialKernel,
    x: torch.Tensor,
    q: torch.Tensor,
    targets: torch.Tensor | None = None,
    tol: Tolerance = 1e-6,
) -> torch.Tensor:
    """sum q_j G(y, x_j) of a kernel's potential: Laplace3d(), Log2d() or Gravity(...).

    x: (n, D) sources, q: (n,) or (k, n) strengths, targets: (m, D), by default the sources; tensors of
    float32 or float64 of one device
    tol: the error allowed, as of starfmm.Sum
    Returns (m,) or (k, m), of the precision of q. Raises as starfmm.Sum does.
    """
    for name, given in (("x", x), ("q", q), ("targets", targets)):
        if given is None and name == "targets":
            continue
        if not isinstance(given, torch.Tensor) or not given.is_floating_point():
            raise InputError(f"{name}: must be a tensor of torch's, of float32 or float64")
        if given.device != x.device:
            raise InputError(f"{name}: lies on {given.device}, and x on {x.device}: must be on one device")
    phi: torch.Tensor = _Potentials.apply(kernel, tol, x, q, targets)
    return phi


def laplace3d(
    x: torch.Tensor, q: torch.Tensor, targets: torch.Tensor | None = None, tol: Tolerance = 1e-6
) -> torch.Tensor:
    """Potentials sum q_j / |y - x_j| in space, as `potentials`."""
    return potentials(Laplace3d(), x, q, targets, tol)


def log2d(
    x: torch.Tensor, q: torch.Tensor, targets: torch.Tensor | None = None, tol: Tolerance = 1e-6
) -> torch.Tensor:
    """Potentials sum q_j log|y - x_j| in the plane, as `potentials`."""
    return potentials(Log2d(), x, q, targets, tol)


def gravity_potential(
    x: torch.Tensor,
    m: torch.Tensor,
    softening: Plummer | Spline = Plummer(1e-3),
    g: float = 1.0,
    tol: Tolerance = 1e-3,
    targets: torch.Tensor | None = None,
) -> torch.Tensor:
    """Potentials -g sum m_j / r of bodies, softened, as `potentials`; forces are their gradient."""
    return potentials(Gravity(softening, g), x, m, targets, tol)


class _Potentials(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, kernel: PotentialKernel, tol: Tolerance, *tensors: torch.Tensor) -> torch.Tensor:
        x, q, targets = (None if tensor is None else tensor.detach() for tensor in tensors)
        wants_x, _, wants_targets = ctx.needs_input_grad[2:]
        ctx.sums = Potentials(kernel, x, targets, tol, partial(torch.as_tensor, device=tensors[1].device))
        ctx.wants = {"wants_x": wants_x, "wants_targets": wants_targets or (wants_x and targets is None)}
        phi: torch.Tensor
        phi, gradient = ctx.sums(q, gradient=ctx.wants["wants_targets"])
        ctx.save_for_backward(*tensors, gradient)
        return phi

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> tuple[Any, ...]:
        *tensors, gradient = ctx.saved_tensors
        changes = ctx.sums.pulled_back(tensors[1].detach(), g.contiguous(), gradient, **ctx.wants)
        of_tensors = (
            None if change is None else change.to(tensor.dtype)
            for change, tensor in zip(changes, tensors, strict=True)
        )
        return None, None, *of_tensors
