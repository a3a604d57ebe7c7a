// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of advance.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/motion/advance.hpp"

namespace starfmm {

/// The size of a block, of which any does: memory's bandwidth decides.
inline constexpr int advance_threads = 256;

__global__ void __launch_bounds__(advance_threads)
    advance_kernel(const __grid_constant__ AdvanceTask task) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        task.values[i] = advanced(task.values[i], task.rates[i], task.time_step);
    }
}

inline void AdvanceTask::cuda(const AdvanceTask& task) {
    const unsigned blocks = n_blocks(task.n, advance_threads);
    advance_kernel<<<blocks, advance_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of advance_kernel");
}

} // namespace starfmm
