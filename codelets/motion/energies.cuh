// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of energies.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/motion/energies.hpp"

#include <cub/block/block_reduce.cuh>

namespace starfmm {

struct AddMotion {
    __device__ MotionSums operator()(const MotionSums& a, const MotionSums& b) const {
        return a + b;
    }
};

/// Forms the sums: a block has a sum, and a thread a body of each of its pieces.
__global__ void __launch_bounds__(energies_piece)
    energies_kernel(const __grid_constant__ EnergiesTask task) {
    using Reduce = cub::BlockReduce<MotionSums, energies_piece>;
    __shared__ typename Reduce::TempStorage room;
    MotionSums own;
    for (std::size_t i = thread_index(); i < task.n; i += n_energies * energies_piece) {
        own = own + motion_of(task, i);
    }
    const MotionSums sum = Reduce(room).Reduce(own, AddMotion{});
    if (threadIdx.x == 0) {
        task.sums[blockIdx.x] = sum;
    }
}

inline void EnergiesTask::cuda(const EnergiesTask& task) {
    energies_kernel<<<n_energies, energies_piece, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of energies_kernel");
}

} // namespace starfmm
