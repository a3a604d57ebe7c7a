// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of gather.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/gather.hpp"

namespace starfmm {

/// One thread a point and part: tree order side by side, the user's order scattered. Any block size
/// does.
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

/// One part after the other: 8 bytes a point of the results, scattered, then stay in the second
/// cache until their neighbours are written, which what is read only once leaves to them.
template <class Real>
__global__ void __launch_bounds__(gather_threads)
    gather_kernel(const __grid_constant__ GatherTask<Real> task) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        const std::size_t j = blockIdx.y * task.n + i;
        task.parts[blockIdx.y][__ldcs(task.permutation + i)] =
            static_cast<double>(__ldcs(task.near + j)) + static_cast<double>(__ldcs(task.far + j));
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
    const dim3 blocks(n_blocks(task.n, gather_threads), task.n_parts);
    gather_kernel<Real><<<blocks, gather_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of gather_kernel");
}

} // namespace starfmm
