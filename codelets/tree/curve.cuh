// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of curve: a stable radix sort of places.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/device_room.cuh"
#include "codelets/tree/curve.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace starfmm {

inline constexpr int curve_threads = 256;

template <class Task>
__global__ void __launch_bounds__(curve_threads)
    curve_codes_kernel(const __grid_constant__ Task task, DeepCode* codes, std::uint32_t* indices) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        codes[i] = task.code_of(i);
        indices[i] = task.index_of(i);
    }
}

template <class Task>
__global__ void __launch_bounds__(curve_threads)
    curve_points_kernel(const __grid_constant__ Task task) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        task.set_position(i, task.permutation[i]);
    }
}

inline void curve_cuda(const CurveTask& task) {
    const unsigned blocks = n_blocks(task.n, curve_threads);
    auto* codes = reinterpret_cast<DeepCode*>(task.scratch);
    auto* indices = reinterpret_cast<std::uint32_t*>(codes + task.n);
    // CUB takes memory from an aligned place on
    std::byte* rest = task.scratch + (12 * task.n + 255) / 256 * 256;
    const DeviceRoom room{
        rest, curve_scratch_bytes(task.n) - static_cast<std::size_t>(rest - task.scratch)};
    curve_codes_kernel<<<blocks, curve_threads, 0, cuda_stream()>>>(task, codes, indices);
    check_cuda(cudaGetLastError(), "launch of curve_codes_kernel");
    if (task.n > 0) {
        room.run("radix sort of places", [&](void* data, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(
                data,
                bytes,
                codes,
                task.codes,
                indices,
                task.permutation,
                task.n,
                0,
                2 * deepest_level<2>,
                cuda_stream()
            );
        });
    }
    curve_points_kernel<<<blocks, curve_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of curve_points_kernel");
}

} // namespace starfmm
