// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of deal.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/deal.hpp"
#include "codelets/device_room.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int deal_threads = 256;

template <class Index>
__global__ void __launch_bounds__(deal_threads)
    number_points_kernel(Index* numbers, std::size_t n) {
    const std::size_t i = thread_index();
    if (i < n) {
        numbers[i] = static_cast<Index>(i);
    }
}

template <class Index>
__global__ void __launch_bounds__(deal_threads)
    invert_kernel(const Index* order, std::size_t n, Index* places) {
    const std::size_t i = thread_index();
    if (i < n) {
        places[order[i]] = static_cast<Index>(i);
    }
}

template <class Real>
void deal_places_cuda(void* buffers[], void* args) {
    const auto task = DealPlacesTask::unpack(buffers, args);
    auto* numbers = reinterpret_cast<std::uint32_t*>(task.scratch);
    std::uint32_t* order = numbers + task.n;
    auto* sorted_labels = reinterpret_cast<std::uint8_t*>(order + task.n);
    std::byte* rest = task.scratch + (9 * task.n + 255) / 256 * 256;
    const std::byte* end = task.scratch + deal_scratch_bytes(task.n);
    const DeviceRoom room{rest, static_cast<std::size_t>(end - rest)};
    const unsigned blocks = n_blocks(task.n, deal_threads);
    number_points_kernel<<<blocks, deal_threads, 0, cuda_stream()>>>(numbers, task.n);
    check_cuda(cudaGetLastError(), "launch of number_points_kernel");
    room.run("radix sort of labels", [&](void* data, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(
            data,
            bytes,
            task.labels,
            sorted_labels,
            numbers,
            order,
            static_cast<std::uint32_t>(task.n),
            0,
            std::max(1, static_cast<int>(std::bit_width(task.n_groups - 1))),
            cuda_stream()
        );
    });
    invert_kernel<<<blocks, deal_threads, 0, cuda_stream()>>>(order, task.n, task.places);
    check_cuda(cudaGetLastError(), "launch of invert_kernel");
}

/// Pieces are in the user's order each: a warp's neighbours write or read a few of them side by
/// side.
template <class Task>
__global__ void __launch_bounds__(deal_threads) deal_kernel(const __grid_constant__ Task task) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        task.pieces.at(task.places[i]) = task.values[i];
    }
}

template <class Task>
__global__ void __launch_bounds__(deal_threads) collect_kernel(const __grid_constant__ Task task) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        task.values[i] = task.pieces.at(task.places[i]);
    }
}

template <class Real>
void deal_cuda(void* buffers[], void* args) {
    const auto task = DealTask::unpack(buffers, args);
    deal_kernel<<<n_blocks(task.n, deal_threads), deal_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of deal_kernel");
}

template <class Real>
void deal_collect_cuda(void* buffers[], void* args) {
    const auto task = DealTask::unpack(buffers, args);
    collect_kernel<<<n_blocks(task.n, deal_threads), deal_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of collect_kernel");
}

inline void copy_piece(const double* from, std::uint64_t n, double* to) {
    const cudaError_t code =
        cudaMemcpyAsync(to, from, n * sizeof(double), cudaMemcpyDeviceToDevice, cuda_stream());
    check_cuda(code, "copy of a piece");
}

template <class Real>
void deal_join_cuda(void* buffers[], void* args) {
    const auto task = JoinTask::unpack(buffers, args);
    for (std::uint32_t i = 0; i < task.pieces.n; ++i) {
        copy_piece(task.pieces.data[i], task.pieces.size(i), task.values + task.pieces.begin[i]);
    }
}

template <class Real>
void deal_cut_cuda(void* buffers[], void* args) {
    const auto task = JoinTask::unpack(buffers, args);
    for (std::uint32_t i = 0; i < task.pieces.n; ++i) {
        copy_piece(task.values + task.pieces.begin[i], task.pieces.size(i), task.pieces.data[i]);
    }
}

} // namespace starfmm
