// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of gather.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/gather.hpp"

namespace starfmm {

/// One thread a point, reading and writing in tree order side by side; the user's order is
/// scattered either way. Any block size does.
inline constexpr int gather_threads = 256;

template <class Real>
__global__ void __launch_bounds__(gather_threads)
    strengths_kernel(const __grid_constant__ StrengthsTask<Real> task) {
    const std::size_t i = thread_index();
    if (i >= task.n) {
        return;
    }
    const std::uint32_t user = task.permutation[i];
    for (std::size_t part = 0; part < task.n_parts; ++part) {
        task.strengths[part * task.n + i] = static_cast<Real>(task.parts[part][user]);
    }
}

template <class Real>
__global__ void __launch_bounds__(gather_threads)
    gather_kernel(const __grid_constant__ GatherTask<Real> task) {
    const std::size_t i = thread_index();
    if (i >= task.n) {
        return;
    }
    const std::uint32_t user = task.permutation[i];
    for (std::size_t part = 0; part < task.n_parts; ++part) {
        const std::size_t j = part * task.n + i;
        task.parts[part][user] =
            static_cast<double>(task.near[j]) + static_cast<double>(task.far[j]);
    }
}

template <class Real>
void strengths_cuda(void* buffers[], void* args) {
    const auto task = StrengthsTask<Real>::unpack(buffers, args);
    const unsigned blocks = n_blocks(task.n, gather_threads);
    strengths_kernel<Real><<<blocks, gather_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of strengths_kernel");
}

template <class Real>
void gather_cuda(void* buffers[], void* args) {
    const auto task = GatherTask<Real>::unpack(buffers, args);
    const unsigned blocks = n_blocks(task.n, gather_threads);
    gather_kernel<Real><<<blocks, gather_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of gather_kernel");
}

} // namespace starfmm
