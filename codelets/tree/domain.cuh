// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of domain.
#pragma once

#include "codelets/tree/bounded_points.cuh"
#include "codelets/tree/domain.hpp"

namespace starfmm {

template <int D>
void DomainTask<D>::cuda(const DomainTask& task) {
    find_bounds<D>(task);
}

} // namespace starfmm
