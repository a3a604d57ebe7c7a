// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of extent.
#pragma once

#include "codelets/tree/bounded_points.cuh"
#include "codelets/tree/extent.hpp"

namespace starfmm {

template <int D>
void ExtentTask<D>::cuda(const ExtentTask& task) {
    find_bounds<D>(task);
}

} // namespace starfmm
