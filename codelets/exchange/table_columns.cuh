// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of the caller's tables: a thread a number.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/exchange/table_columns.hpp"

namespace starfmm {

inline constexpr int column_threads = 256;

template <class Task>
__global__ void __launch_bounds__(column_threads) column_kernel(const __grid_constant__ Task task) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        task.run(i);
    }
}

template <class Task>
void run_column(const Task& task) {
    if (task.n > 0) {
        column_kernel<<<n_blocks(task.n, column_threads), column_threads, 0, cuda_stream()>>>(task);
        check_cuda(cudaGetLastError(), "launch of column_kernel");
    }
}

inline void ReadColumnTask::cuda(const ReadColumnTask& task) {
    run_column(task);
}

inline void WriteColumnTask::cuda(const WriteColumnTask& task) {
    run_column(task);
}

/// \pre *task.is_out is 0
__global__ void __launch_bounds__(column_threads)
    check_range_kernel(const __grid_constant__ CheckRangeTask task) {
    const std::size_t i = thread_index();
    const bool is_out = i < task.n && task.misses(i);
    if (__syncthreads_or(static_cast<int>(is_out)) != 0 && threadIdx.x == 0) {
        *task.is_out = 1; // whoever writes it writes the same
    }
}

inline void CheckRangeTask::cuda(const CheckRangeTask& task) {
    check_cuda(
        cudaMemsetAsync(task.is_out, 0, sizeof(std::uint32_t), cuda_stream()), "cudaMemsetAsync"
    );
    if (task.n > 0) {
        const unsigned blocks = n_blocks(task.n, column_threads);
        check_range_kernel<<<blocks, column_threads, 0, cuda_stream()>>>(task);
        check_cuda(cudaGetLastError(), "launch of check_range_kernel");
    }
}

} // namespace starfmm
