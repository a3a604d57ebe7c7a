// SPDX-License-Identifier: BSD-3-Clause
// The kernel of loops whose iterations are independent: a thread for each.
#pragma once

#include "codelets/cuda/cuda_check.cuh"

#include <cstddef>

namespace starfmm {

/// The size of a block, of which any does: memory's bandwidth decides.
inline constexpr int index_threads = 256;

template <auto step, class... Args>
__global__ void __launch_bounds__(index_threads)
    index_kernel(std::size_t n, const __grid_constant__ Args... args) {
    if (const std::size_t i = thread_index(); i < n) {
        step(args..., i);
    }
}

/// Calls step(args..., i) for each i < n in each row of blocks, blockIdx.y.
template <auto step, class... Args>
void launch_rows(std::size_t n_rows, std::size_t n, const Args&... args) {
    const dim3 blocks(n_blocks(n, index_threads), static_cast<unsigned>(n_rows));
    index_kernel<step><<<blocks, index_threads, 0, cuda_stream()>>>(n, args...);
    check_cuda(cudaGetLastError(), "launch of index_kernel");
}

/// Calls step(args..., i) for each i < n, where `step` is a function of the device.
template <auto step, class... Args>
void launch_for_each(std::size_t n, const Args&... args) {
    launch_rows<step>(1, n, args...);
}

} // namespace starfmm
