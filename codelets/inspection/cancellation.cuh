// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of cancellation: a block forms a share of a target's sums.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/inspection/cancellation.hpp"

#include <cub/block/block_reduce.cuh>

namespace starfmm {

struct AddSourceSums {
    __device__ SourceSums operator()(SourceSums a, const SourceSums& b) const {
        a.add(b);
        return a;
    }
};

/// \pre blocks of run_length threads, of which each takes one source of a run
__global__ void __launch_bounds__(run_length)
    cancellation_kernel(const __grid_constant__ CancellationTask task) {
    using Reduce = cub::BlockReduce<SourceSums, run_length>;
    __shared__ typename Reduce::TempStorage room;
    const std::size_t target = blockIdx.y;
    const std::size_t share = blockIdx.x;
    TargetSums sums; // of the first thread
    for (std::size_t run = share; run < task.n_runs(); run += cancellation_shares) {
        const std::size_t k = run * run_length + threadIdx.x;
        const SourceSums own = k < task.n_ordered ? task.term(target, task.order[k]) : SourceSums{};
        const SourceSums of_run = Reduce(room).Reduce(own, AddSourceSums{});
        sums.add_run(of_run);
        __syncthreads(); // before the room is used again
    }
    SourceSums own;
    const std::size_t end = task.share_begin(share + 1);
    for (std::size_t j = task.share_begin(share) + threadIdx.x; j < end; j += run_length) {
        own.add(task.term(target, j));
    }
    sums.all = Reduce(room).Reduce(own, AddSourceSums{});
    if (threadIdx.x == 0) {
        task.sums[target * cancellation_shares + share] = sums;
    }
}

inline void CancellationTask::cuda(const CancellationTask& task) {
    const dim3 blocks(cancellation_shares, static_cast<unsigned>(task.n_targets));
    cancellation_kernel<<<blocks, run_length, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of cancellation_kernel");
}

} // namespace starfmm
