// SPDX-License-Identifier: BSD-3-Clause
// The loops of operators whose iterations are independent. What an iteration does is written once,
// for every kind of worker: the stem of such an operator has no CUDA file.
#pragma once

#include "core/host_device.hpp"

#ifdef __CUDACC__
#include "codelets/cuda/index_kernel.cuh"
#endif

#include <cstddef>

namespace starfmm {

/// Calls visit(i) for each i < n: a core one after the other, a GPU in a thread each.
/// \tparam Backend  kind of worker that the source at hand is compiled for
/// \param visit  a task, or another value that kernels take as it is
template <class Backend, class Visit>
void for_each_index(std::size_t n, const Visit& visit);

/// Calls visit(row, i) for each i < n of each row, as for_each_index() does.
template <class Backend, class Visit>
void for_each_in_rows(std::size_t n_rows, std::size_t n, const Visit& visit);

#ifdef __CUDACC__
template <class Visit>
__device__ void visit_index(const Visit& visit, std::size_t i) {
    visit(i);
}

template <class Visit>
__device__ void visit_in_row(const Visit& visit, std::size_t i) {
    visit(blockIdx.y, i);
}

template <class Backend, class Visit>
void for_each_index(std::size_t n, const Visit& visit) {
    launch_for_each<visit_index<Visit>>(n, visit);
}

template <class Backend, class Visit>
void for_each_in_rows(std::size_t n_rows, std::size_t n, const Visit& visit) {
    launch_rows<visit_in_row<Visit>>(n_rows, n, visit);
}
#else
template <class Backend, class Visit>
void for_each_index(std::size_t n, const Visit& visit) {
    for (std::size_t i = 0; i < n; ++i) {
        visit(i);
    }
}

template <class Backend, class Visit>
void for_each_in_rows(std::size_t n_rows, std::size_t n, const Visit& visit) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        for (std::size_t i = 0; i < n; ++i) {
            visit(row, i);
        }
    }
}
#endif

} // namespace starfmm
