// SPDX-License-Identifier: BSD-3-Clause
// Arrays of Python's as the library's views of them.
#pragma once

#include "starfmm/array_view.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace starfmm::python {

/// What the package passes: up to three extents of floats or doubles on the host.
using ReadArray = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;
using WrittenArray = nanobind::ndarray<nanobind::device::cpu>;

[[nodiscard]] ConstArrayView view_of(const ReadArray& array);
[[nodiscard]] ArrayView view_of(const WrittenArray& array);

} // namespace starfmm::python
