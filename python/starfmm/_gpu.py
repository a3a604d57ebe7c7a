# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in a GPU's memory, of CuPy, torch, JAX and whatever has __cuda_array_interface__."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ._errors import InputError


class GpuNumbers(np.ndarray):
    """A view of memory of a GPU: numpy knows its shape, strides and type, and must not look at it.

    gpu: CUDA's number of the GPU
    owner: the array that was given
    """

    gpu: int
    owner: Any

    def __array_finalize__(self, base: Any) -> None:
        self.gpu = getattr(base, "gpu", -1)
        self.owner = getattr(base, "owner", None)

    def _refused(self, *_: Any, **__: Any) -> Any:
        raise InputError(
            "an array on a GPU is taken as it is: make it one of float32 or float64, of the shape"
            " that is asked for"
        )

    astype = _refused
    __array_ufunc__ = _refused
    __array_function__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.shape} of {self.dtype} on GPU {self.gpu}>"

    __str__ = __repr__


def is_on_gpu(given: Any) -> bool:
    """Whether an array says that it lies in a GPU's memory."""
    if isinstance(given, (np.ndarray, np.generic)):
        return isinstance(given, GpuNumbers)
    try:
        return hasattr(given, "__cuda_array_interface__") or _is_torch_on_gpu(given)
    except Exception:  # whatever an object's attribute raises
        return False


def _is_torch_on_gpu(given: Any) -> bool:
    return type(given).__module__.split(".")[0] == "torch" and bool(getattr(given, "is_cuda", False))


def _device_of(given: Any, pointer: int) -> int:
    """CUDA's number of the GPU."""
    device = getattr(given, "device", None)
    for attribute in ("index", "id"):  # of torch's and CuPy's
        number = getattr(device, attribute, None)
        if isinstance(number, int):
            return number
    if hasattr(given, "__dlpack_device__"):
        return int(given.__dlpack_device__()[1])
    return 0


def gpu_numbers(given: Any, name: str, is_new: bool = False) -> GpuNumbers:
    """The numbers of an array on a GPU, where they lie.

    is_new: nobody else has the array, so that even one of JAX's may be written
    """
    exported = given.detach() if _is_torch_on_gpu(given) else given
    if hasattr(given, "block_until_ready"):  # of JAX's, which may not have been computed yet
        given.block_until_ready()
    try:
        interface = exported.__cuda_array_interface__
        dtype = np.dtype(interface["typestr"])
        shape = tuple(int(n) for n in interface["shape"])
        pointer, is_read_only = interface["data"]
        strides = interface.get("strides")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{name}: lies on a GPU, and does not say where: {error}") from None
    if any(n == 0 for n in shape):
        memory = np.empty(shape, dtype)
    else:
        # one number's memory is all that numpy needs to know of it
        one = (ctypes.c_char * dtype.itemsize).from_address(pointer)
        step = dtype.itemsize
        if strides is None:
            strides = tuple(step * int(np.prod(shape[i + 1 :], dtype=int)) for i in range(len(shape)))
        memory = as_strided(np.frombuffer(one, dtype), shape, strides, writeable=is_new or not is_read_only)
    view = memory.view(GpuNumbers)
    view.gpu = _device_of(given, pointer)
    view.owner = given
    return view


def like_numbers(strengths: GpuNumbers, shape: tuple[int, ...], dtype: np.dtype) -> GpuNumbers:
    """New memory for values, of the same kind and on the same GPU."""
    module = type(strengths.owner).__module__.split(".")[0]
    made: Any
    if module == "torch":
        import torch

        made = torch.empty(shape, dtype=getattr(torch, dtype.name), device=strengths.owner.device)
    elif module == "cupy":
        import cupy

        with cupy.cuda.Device(strengths.gpu):
            made = cupy.empty(shape, dtype)
    elif module in ("jax", "jaxlib"):
        import jax

        # memory of its own that nobody else has seen, so that it may be written once
        made = jax.numpy.zeros(shape, dtype, device=strengths.owner.sharding)
    else:
        raise InputError(
            f"q: lies on a GPU, in an array of {module}'s, of which no others are made here: pass"
            " out=, or an array of CuPy's, torch's or JAX's"
        )
    return gpu_numbers(made, "values", is_new=True)


def as_given(part: np.ndarray) -> Any:
    """What a user gave or gets: an array on a GPU is its owner's."""
    return part.owner if isinstance(part, GpuNumbers) else part


def host_copy(given: Any) -> Any:
    """The numbers in the host's memory."""
    if isinstance(given, GpuNumbers):
        given = given.owner
    if not is_on_gpu(given):
        return given
    if _is_torch_on_gpu(given):
        return given.detach().cpu().numpy()
    for method in ("get", "copy_to_host"):  # of CuPy's and numba's
        if hasattr(given, method):
            return getattr(given, method)()
    return np.asarray(given)
