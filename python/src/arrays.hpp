// SPDX-License-Identifier: BSD-3-Clause
// Arrays of Python's as the library's views of them.
#pragma once

#include "starfmm/array_view.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace starfmm::python {

/// What the package passes: an array of numpy's, of up to three extents of floats or doubles. Its
/// attribute `gpu`, if it has one, is CUDA's number of the GPU on which the numbers lie.
[[nodiscard]] ConstArrayView view_of_read(nanobind::handle array);
[[nodiscard]] ArrayView view_of_written(nanobind::handle array);

} // namespace starfmm::python
