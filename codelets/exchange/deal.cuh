// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of deal.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/device_room.cuh"
#include "codelets/exchange/deal.hpp"

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int deal_threads = 256;

inline constexpr int deal_warps = deal_threads / warp_lanes;

/// The counts of a chunk's points warp by warp: how many of each group a warp has, then where they
/// begin.
struct PlaceCounts {
    std::uint32_t* counts; ///< [n_groups][n_warps]
    unsigned n_warps;

    __device__ unsigned warp() const { return thread_index() / warp_lanes; }

    __device__ std::uint32_t& operator()(std::size_t group) const {
        return counts[group * n_warps + warp()];
    }

    /// Returns the first point of the warp, or of the next.
    __device__ std::size_t begin(std::size_t n, unsigned next = 0) const {
        return n * (warp() + next) / n_warps;
    }
};

template <class Task>
__global__ void __launch_bounds__(deal_threads) count_groups_kernel(
    const __grid_constant__ Task task, const __grid_constant__ PlaceCounts counts
) {
    __shared__ std::uint32_t of_warps[deal_warps][max_slots];
    std::uint32_t* mine = of_warps[threadIdx.x / warp_lanes];
    const unsigned lane = threadIdx.x % warp_lanes;
    for (unsigned group = lane; group < task.n_groups; group += warp_lanes) {
        mine[group] = 0;
    }
    __syncwarp();
    for (std::size_t i = counts.begin(task.n) + lane; i < counts.begin(task.n, 1);
         i += warp_lanes) {
        atomicAdd(mine + task.label(i), 1U);
    }
    __syncwarp();
    for (unsigned group = lane; group < task.n_groups; group += warp_lanes) {
        counts(group) = mine[group];
    }
}

/// Sets the places of a chunk's points.
/// \param counts  counts summed up to each warp
template <class Task>
__global__ void __launch_bounds__(deal_threads
) set_places_kernel(const __grid_constant__ Task task, const __grid_constant__ PlaceCounts counts) {
    __shared__ std::uint32_t of_warps[deal_warps][max_slots];
    std::uint32_t* next = of_warps[threadIdx.x / warp_lanes];
    const unsigned lane = threadIdx.x % warp_lanes;
    for (unsigned group = lane; group < task.n_groups; group += warp_lanes) {
        next[group] = counts(group);
    }
    __syncwarp();
    const std::size_t end = counts.begin(task.n, 1);
    for (std::size_t row = counts.begin(task.n); row < end; row += warp_lanes) {
        const std::size_t i = row + lane;
        const unsigned label = i < end ? task.label(i) : max_slots;
        const unsigned same = __match_any_sync(0xffffffffU, label);
        const auto n_before = static_cast<std::uint32_t>(__popc(same & ((1U << lane) - 1)));
        if (i < end) {
            task.places[i] = next[label] + n_before;
        }
        __syncwarp();
        if (i < end && n_before == 0) {
            next[label] += static_cast<std::uint32_t>(__popc(same));
        }
        __syncwarp();
    }
}

template <class Backend, class Task>
void find_dealt_places(const Task& task) {
    constexpr std::size_t points_a_block = 16 * deal_threads;
    constexpr unsigned most_blocks = 1024;
    const unsigned blocks = std::min(n_blocks(task.n, points_a_block), most_blocks);
    const PlaceCounts counts{reinterpret_cast<std::uint32_t*>(task.scratch), blocks * deal_warps};
    const std::size_t n_counts = task.n_groups * counts.n_warps;
    constexpr std::size_t most_counts = max_slots * most_blocks * deal_warps;
    static_assert(deal_scratch_bytes >= 2 * most_counts * sizeof(std::uint32_t));
    std::byte* rest = task.scratch + most_counts * sizeof(std::uint32_t);
    const DeviceRoom room{rest, deal_scratch_bytes - most_counts * sizeof(std::uint32_t)};
    count_groups_kernel<<<blocks, deal_threads, 0, cuda_stream()>>>(task, counts);
    check_cuda(cudaGetLastError(), "launch of count_groups_kernel");
    room.run("sum of groups' points", [&](void* data, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(
            data, bytes, counts.counts, counts.counts, n_counts, cuda_stream()
        );
    });
    set_places_kernel<<<blocks, deal_threads, 0, cuda_stream()>>>(task, counts);
    check_cuda(cudaGetLastError(), "launch of set_places_kernel");
}

/// Has each thread take some points. Each piece is in the user's order: a warp's neighbours write
/// or read a few of them side by side. The table of pieces is in shared memory, since lanes ask for
/// several at a time, which constant memory gives one after the other.
template <class Task>
__global__ void __launch_bounds__(deal_threads) deal_kernel(const __grid_constant__ Task task) {
    __shared__ Pieces pieces;
    static_assert(sizeof(Pieces) % sizeof(std::uint64_t) == 0);
    constexpr unsigned n_words = sizeof(Pieces) / sizeof(std::uint64_t);
    for (unsigned word = threadIdx.x; word < n_words; word += deal_threads) {
        reinterpret_cast<std::uint64_t*>(&pieces)[word] =
            reinterpret_cast<const std::uint64_t*>(&task.pieces)[word];
    }
    __syncthreads();
    const std::size_t stride = std::size_t(gridDim.x) * deal_threads;
#pragma unroll 4
    for (std::size_t i = thread_index(); i < task.n; i += stride) {
        task(i, pieces.at(__ldg(task.places + i)));
    }
}

/// Returns the number of blocks, which is small since each of them copies the table of pieces.
inline unsigned deal_blocks(std::size_t n) {
    constexpr std::size_t points_a_block = 8 * deal_threads;
    constexpr unsigned blocks_a_multiprocessor = 16;
    return std::min(n_blocks(n, points_a_block), blocks_a_multiprocessor * n_multiprocessors());
}

template <class Backend, class Task>
void for_each_dealt(const Task& task) {
    deal_kernel<<<deal_blocks(task.n), deal_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of deal_kernel");
}

inline void copy_piece(const double* from, std::uint64_t n, double* to) {
    const cudaError_t code =
        cudaMemcpyAsync(to, from, n * sizeof(double), cudaMemcpyDeviceToDevice, cuda_stream());
    check_cuda(code, "copy of a piece");
}

inline void DealJoinTask::cuda(const DealJoinTask& task) {
    for (std::uint32_t i = 0; i < task.pieces.n; ++i) {
        copy_piece(task.pieces.data[i], task.pieces.size(i), task.values + task.pieces.begin[i]);
    }
}

} // namespace starfmm
