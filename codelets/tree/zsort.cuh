// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of zsort and zgroup: a stable radix sort of box codes.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/device_room.cuh"
#include "codelets/tree/zsort.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int zsort_threads = 256;

template <int D>
__global__ void __launch_bounds__(zsort_threads
) z_codes_kernel(const __grid_constant__ ZSortTask<D> task, ZCode* codes, std::uint32_t* indices) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        codes[i] = task.box_of(i);
        indices[i] = static_cast<std::uint32_t>(i);
    }
}

/// Finds offsets[box], the number of sorted codes below `box`.
template <int D>
__global__ void __launch_bounds__(zsort_threads)
    z_offsets_kernel(const __grid_constant__ ZSortTask<D> task, const ZCode* sorted) {
    const std::size_t box = thread_index();
    if (box > task.n_boxes) {
        return;
    }
    std::size_t low = 0;
    for (std::size_t high = task.n; low < high;) {
        const std::size_t middle = low + (high - low) / 2;
        if (sorted[middle] < box) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    task.offsets[box] = static_cast<std::uint32_t>(low);
}

template <int D>
void zsort_cuda(const ZSortTask<D>& task) {
    auto* codes = reinterpret_cast<ZCode*>(task.scratch);
    ZCode* sorted = codes + task.n;
    std::uint32_t* indices = sorted + task.n;
    std::byte* rest = reinterpret_cast<std::byte*>(indices + task.n);
    const DeviceRoom room{
        rest, zsort_scratch_bytes(task.n) - static_cast<std::size_t>(rest - task.scratch)};
    z_codes_kernel<D><<<n_blocks(task.n, zsort_threads), zsort_threads, 0, cuda_stream()>>>(
        task, codes, indices
    );
    check_cuda(cudaGetLastError(), "launch of z_codes_kernel");
    if (task.n > 0) {
        room.run("radix sort of box codes", [&](void* data, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(
                data,
                bytes,
                codes,
                sorted,
                indices,
                task.permutation,
                task.n,
                0,
                D * task.height + 1, // no bits are no sort
                cuda_stream()
            );
        });
    }
    const unsigned blocks = n_blocks(task.n_boxes + 1, zsort_threads);
    z_offsets_kernel<D><<<blocks, zsort_threads, 0, cuda_stream()>>>(task, sorted);
    check_cuda(cudaGetLastError(), "launch of z_offsets_kernel");
}

template <class Real, int D>
__global__ void __launch_bounds__(zsort_threads)
    zgroup_kernel(const __grid_constant__ ZGroupTask<Real, D> task) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        task.set_point(i);
    }
    if (i <= task.group.n_boxes) {
        task.set_offset(i);
    }
}

template <class Real, int D>
void zgroup_cuda(const ZGroupTask<Real, D>& task) {
    const std::size_t n = std::max<std::size_t>(task.n, task.group.n_boxes + 1);
    zgroup_kernel<Real, D><<<n_blocks(n, zsort_threads), zsort_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of zgroup_kernel");
}

} // namespace starfmm
