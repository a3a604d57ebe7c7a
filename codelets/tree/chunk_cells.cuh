// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of chunk_cells and chunk_parts.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/device_room.cuh"
#include "codelets/tree/chunk_cells.hpp"

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int chunk_cells_threads = 1024;
inline constexpr int chunk_parts_threads = 512;

/// The words of a block's counts of cells: two counts in a word, of 16 bits each.
template <int D>
inline constexpr std::size_t cell_count_words = n_cells<D> / 2;

/// The most points of a block, so that no count overflows; and about the fewest, beside which
/// adding its counts to those of others takes little.
inline constexpr std::size_t most_block_points = (std::size_t(1) << 16U) - 1;
inline constexpr std::size_t few_block_points = std::size_t(1) << 13U;

/// Counts the points of cells.
/// \param task  begins with counts of zero
template <int D>
__global__ void __launch_bounds__(chunk_cells_threads)
    chunk_cells_kernel(const __grid_constant__ ChunkCellsTask<D> task, std::size_t block_points) {
    extern __shared__ std::uint32_t counts[];
    for (unsigned word = threadIdx.x; word < cell_count_words<D>; word += blockDim.x) {
        counts[word] = 0;
    }
    __syncthreads();
    const std::size_t begin = blockIdx.x * block_points;
    const std::size_t end = task.n - begin < block_points ? task.n : begin + block_points;
    for (std::size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        const DeepCode code = task.code_of(i);
        task.codes[i] = code;
        const std::uint32_t cell = CellsTask<D>::cell_of(code);
        atomicAdd(counts + cell / 2, 1U << (cell % 2 * 16));
    }
    __syncthreads();
    for (unsigned cell = threadIdx.x; cell < n_cells<D>; cell += blockDim.x) {
        const std::uint32_t count = counts[cell / 2] >> (cell % 2 * 16) & 0xffffU;
        if (count != 0) {
            atomicAdd(task.begin + cell, count);
        }
    }
}

inline void set_no_counts(std::uint32_t* counts, std::size_t n) {
    check_cuda(
        cudaMemsetAsync(counts, 0, n * sizeof(std::uint32_t), cuda_stream()), "clearing of counts"
    );
}

template <int D>
void ChunkCellsTask<D>::cuda(const ChunkCellsTask& task) {
    constexpr std::size_t shared_bytes = cell_count_words<D> * sizeof(std::uint32_t);
    const std::size_t even_share = task.n / (2 * n_multiprocessors());
    const std::size_t block_points = std::clamp(even_share, few_block_points, most_block_points);
    set_no_counts(task.begin, n_cells<D> + 1);
    allow_shared_bytes(chunk_cells_kernel<D>, shared_bytes);
    chunk_cells_kernel<D>
        <<<n_blocks(task.n, block_points), chunk_cells_threads, shared_bytes, cuda_stream()>>>(
            task, block_points
        );
    check_cuda(cudaGetLastError(), "launch of chunk_cells_kernel");
    const DeviceRoom room{task.scratch, chunk_cells_scratch_bytes};
    room.run("sum of cells' points", [&](void* data, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(
            data, bytes, task.begin, task.begin, n_cells<D> + 1, cuda_stream()
        );
    });
}

/// The counts that a block has room for.
inline constexpr std::size_t most_block_counts = 12288;

/// Counts the points of parts of cells. A block counts its part of the points by itself where it
/// has room, since many of the points are in few cells.
/// \param task  begins with counts of zero
template <int D>
__global__ void __launch_bounds__(chunk_parts_threads)
    chunk_parts_kernel(const __grid_constant__ ChunkPartsTask<D> task) {
    __shared__ std::uint32_t own[most_block_counts];
    const std::size_t n_counts = task.n_cells * n_cell_parts<D>;
    const bool has_own = n_counts <= most_block_counts;
    for (unsigned i = threadIdx.x; has_own && i < n_counts; i += blockDim.x) {
        own[i] = 0;
    }
    __syncthreads();
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = thread_index(); i < task.n; i += stride) {
        if (std::uint32_t* count = task.count_of(i); count != nullptr) {
            atomicAdd(has_own ? own + (count - task.counts) : count, 1U);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; has_own && i < n_counts; i += blockDim.x) {
        if (own[i] != 0) {
            atomicAdd(task.counts + i, own[i]);
        }
    }
}

template <int D>
void ChunkPartsTask<D>::cuda(const ChunkPartsTask& task) {
    constexpr std::size_t points_a_block = 16 * chunk_parts_threads;
    constexpr unsigned blocks_a_multiprocessor = 4;
    const unsigned blocks =
        std::min(n_blocks(task.n, points_a_block), blocks_a_multiprocessor * n_multiprocessors());
    set_no_counts(task.counts, task.n_cells * n_cell_parts<D>);
    chunk_parts_kernel<D><<<blocks, chunk_parts_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of chunk_parts_kernel");
}

} // namespace starfmm
