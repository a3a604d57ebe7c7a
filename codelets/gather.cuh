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
    for (std::size_t part = 0; part < task.parts.n; ++part) {
        task.strengths[part * task.n + i] = static_cast<Real>(task.parts.of[part].at(user));
    }
}

/// One part of the results: 8 bytes a point, scattered. What is read only once leaves the second
/// cache to them.
template <class Real>
__global__ void __launch_bounds__(gather_threads)
    gather_kernel(const __grid_constant__ GatherTask<Real> task, std::size_t part) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        const std::size_t j = part * task.n + i;
        task.parts.of[part].at(__ldcs(task.permutation + i)) =
            static_cast<double>(__ldcs(task.near + j)) + static_cast<double>(__ldcs(task.far + j));
    }
}

/// Results from which on a part is cleared before it is scattered, where the group has them all:
/// its lines then lie whole in the second cache, one part after the other. 2949120 points take
/// 0.108 ms, if both parts are cleared at once 0.133, without clearing 0.176; fewer stay in the
/// cache as they are.
inline constexpr std::size_t cleared_results = std::size_t(1) << 20;

inline void clear(const Pieces& pieces) {
    for (std::uint32_t i = 0; i < pieces.n; ++i) {
        const std::size_t bytes = pieces.size(i) * sizeof(double);
        check_cuda(cudaMemsetAsync(pieces.data[i], 0, bytes, cuda_stream()), "cudaMemsetAsync");
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
    for (std::size_t part = 0; part < task.parts.n; ++part) {
        if (task.n == task.parts.of[part].n_values() && task.n >= cleared_results) {
            clear(task.parts.of[part]);
        }
        gather_kernel<Real><<<blocks, gather_threads, 0, cuda_stream()>>>(task, part);
        check_cuda(cudaGetLastError(), "launch of gather_kernel");
    }
}

} // namespace starfmm
