# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of users as the engine reads and writes them: where they lie, if their strides allow it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ._errors import InputError
from ._gpu import GpuNumbers, gpu_numbers, is_on_gpu

_ON_HOST = (1, 3)  # DLPack's kinds of devices: memory of the host, pageable or page-locked


def host_array(given: Any, name: str) -> np.ndarray:
    """What is given as an array of numpy's, without a copy where it exports its memory.

    Of an array on a GPU that is a view which numpy does not look into.
    """
    if isinstance(given, np.ndarray):
        return given
    if is_on_gpu(given):
        return gpu_numbers(given, name)
    kind = given.__dlpack_device__()[0] if hasattr(given, "__dlpack_device__") else None
    if kind is not None and kind not in _ON_HOST:
        raise InputError(
            f"{name}: lies on a GPU, and has no __cuda_array_interface__ that says where: copy it to the"
            " host, as by torch's x.cpu()"
        )
    if kind is not None:
        try:
            return np.from_dlpack(given)
        except (BufferError, RuntimeError, TypeError):
            pass  # as read-only memory, which older protocols cannot export
    try:
        return np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{name}: is no array of numbers: {error}") from None


def _lies_well(array: np.ndarray) -> bool:
    """Whether the engine's strides, which count numbers, can say where the numbers are."""
    size = array.real.itemsize
    return (
        array.dtype.isnative and array.flags.aligned and all(stride % size == 0 for stride in array.strides)
    )


def _is_float(array: np.ndarray) -> bool:
    return array.dtype.char in "fdFD"


def numbers_of(given: Any, name: str) -> np.ndarray:
    """An array of float32, float64, complex64 or complex128; integers and float16 as float64."""
    array = host_array(given, name)
    if isinstance(array, GpuNumbers):
        if not _is_float(array) or not _lies_well(array):
            raise InputError(
                f"{name}: has numbers of type {array.dtype} on a GPU; must be aligned ones of float32,"
                " float64, complex64 or complex128"
            )
        return array
    if array.dtype.kind in "biu" or array.dtype == np.float16:
        return array.astype(np.float64)
    if not _is_float(array):
        raise InputError(
            f"{name}: has numbers of type {array.dtype}; must be float32, float64, complex64 or"
            f" complex128: use {name}.astype(...)"
        )
    return array if _lies_well(array) else array.astype(array.dtype.newbyteorder("="))


def split(array: np.ndarray) -> np.ndarray:
    """Complex numbers as real and imaginary parts, a further extent of 2 in the same memory."""
    real = array.real
    return as_strided(
        real,
        (*array.shape, 2),
        (*array.strides, real.itemsize),
        subok=True,
        writeable=array.flags.writeable,
    )


def points_of(given: Any, name: str, dimension: int) -> np.ndarray:
    """Points (n, dimension), in the plane also n complex numbers."""
    array = numbers_of(given, name)
    takes = f"(n, {dimension})" + (", or n complex numbers" if dimension == 2 else "")
    if array.dtype.kind == "c":
        if dimension != 2 or array.ndim != 1:
            raise InputError(f"{name}: has the shape {array.shape} of complex numbers; takes {takes}")
        array = split(array)
    if array.ndim != 2 or array.shape[1] != dimension:
        is_transposed = array.ndim == 2 and array.shape[0] == dimension
        cure = f"; it is transposed: pass {name}.T" if is_transposed else ""
        raise InputError(f"{name}: has the shape {array.shape}; takes {takes}{cure}")
    if array.shape[0] == 0:
        raise InputError(f"{name}: has no points; takes {takes} with n >= 1")
    return array


def strengths_of(given: Any, name: str, n: int, is_complex: bool) -> np.ndarray:
    """Strengths (n,), or with right-hand sides in front (k, n): real numbers, or complex ones.

    They may have a last extent of 1; an array (1, 1) of one source is one right-hand side in front.
    """
    array = numbers_of(given, name)
    if array.shape[-2:] == (n, 1) and (array.ndim == 3 or (array.ndim == 2 and n > 1)):
        array = array[..., 0]
    if array.ndim not in (1, 2) or array.shape[-1] != n or array.shape[0] == 0:
        raise InputError(
            f"{name}: has the shape {np.shape(given)}; takes ({n},), or with k right-hand sides"
            f" in front (k, {n})"
        )
    if is_complex and array.dtype.kind != "c":
        if isinstance(array, GpuNumbers):
            raise InputError(f"{name}: has real numbers on a GPU; must be complex64 or complex128")
        return array.astype(np.complex64 if array.dtype == np.float32 else np.complex128)
    if not is_complex and array.dtype.kind == "c":
        raise InputError(
            f"{name}: is complex where real strengths are summed; sum its real and imaginary parts"
            " as two right-hand sides, and of Harmonic2d set complex_strengths=True"
        )
    return array


def values_array(
    given: Any, name: str, shape: tuple[int, ...], is_complex: bool, is_written: bool
) -> np.ndarray:
    """Values of a shape, where they lie; to be written, or to be read."""
    array = host_array(given, name) if is_written else numbers_of(given, name)
    if not _is_float(array) or (array.dtype.kind == "c") != is_complex:
        wanted = "complex64 or complex128" if is_complex else "float32 or float64"
        raise InputError(f"{name}: has numbers of type {array.dtype}; must be {wanted}")
    if array.shape != shape:
        raise InputError(f"{name}: has the shape {array.shape}; values have {shape}")
    if is_written and not array.flags.writeable:
        raise InputError(f"{name}: is read-only")
    if not _lies_well(array):
        raise InputError(f"{name}: its numbers are not aligned, or not in this machine's byte order")
    return array


def as_real(array: np.ndarray) -> np.ndarray:
    """The same memory in real numbers."""
    return split(array) if array.dtype.kind == "c" else array
