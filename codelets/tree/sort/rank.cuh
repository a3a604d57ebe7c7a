// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of rank: one distribution of the points to bins, then every block sorts bins that
// fit into its shared memory.
//
// Bins come from samples, and a tile of consecutive bins is small but for ties and clusters that
// fall between two samples.
#pragma once

#include "codelets/tree/sort/radix.cuh"
#include "codelets/tree/sort/rank_bins.cuh"
#include "codelets/tree/sort/rank_tile.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

template <class Key>
__device__ void
set_rank(const RankArrays<Key>& task, std::size_t rank, const RankRecord<Key>& record) {
    task.sorted[rank] = key_of<Key>(record.bits);
    task.order[rank] = record.index;
}

inline constexpr int short_threads = 512; ///< two blocks run on a multiprocessor at once
inline constexpr int long_threads = 1024;

template <class Key>
using ShortTile = RankTile<short_threads, Key>;

static_assert(sizeof(ShortTile<double>) <= 64 << 10, "no more than a block has on any device");

template <class Key>
using LongTile = RankTile<long_threads, Key>;

/// Sorts all of a few points.
template <class Task>
__global__ void __launch_bounds__(short_threads, 2)
    sort_points_kernel(const __grid_constant__ Task task) {
    using Record = RankRecord<typename Task::Key>;
    extern __shared__ std::byte shared[];
    auto& tile = *reinterpret_cast<ShortTile<typename Task::Key>*>(shared);
    tile.sort(
        static_cast<std::uint32_t>(task.n),
        [&](std::uint32_t i) { return Record(task.keys, i); },
        [&](std::uint32_t rank, const Record& record) { set_rank(task, rank, record); }
    );
}

/// Sorts the tile of indices from `begin` on.
template <class Tile, class Key>
__device__ void sort_tile(
    Tile& tile,
    const RankArrays<Key>& task,
    const std::uint32_t* indices,
    std::uint32_t begin,
    std::uint32_t n
) {
    using Record = RankRecord<Key>;
    tile.sort(
        n,
        [&](std::uint32_t i) { return Record(task.keys, indices[begin + i]); },
        [&](std::uint32_t rank, const Record& record) { set_rank(task, begin + rank, record); }
    );
}

/// Sorts a tile a block, and notes those that are too long.
template <class Task>
__global__ void __launch_bounds__(short_threads, 2) sort_tiles_kernel(
    const __grid_constant__ Task task,
    const __grid_constant__ RankScratch<typename Task::Key> scratch
) {
    extern __shared__ std::byte shared[];
    auto& tile = *reinterpret_cast<ShortTile<typename Task::Key>*>(shared);
    const std::uint32_t begin = scratch.tile_begins[blockIdx.x];
    const std::uint32_t n = scratch.tile_begins[blockIdx.x + 1] - begin;
    if (n > tile.capacity) {
        if (threadIdx.x == 0) {
            scratch.long_tiles[atomicAdd(scratch.n_long, 1U)] = blockIdx.x;
        }
        return;
    }
    sort_tile(tile, task, scratch.indices, begin, n);
}

/// Sorts `n` points by exchanges, in shared memory if they fit, else where their results go.
/// \param capacity  records that `shared` has room for
template <class Key>
__device__ void exchange_tile(
    const RankArrays<Key>& task,
    const std::uint32_t* point_indices,
    std::uint32_t begin,
    std::uint32_t n,
    std::byte* shared,
    std::uint32_t capacity
) {
    using Record = RankRecord<Key>;
    auto* bits = reinterpret_cast<RankBits*>(shared);
    auto* indices = reinterpret_cast<std::uint32_t*>(bits + capacity);
    if (n > capacity) {
        bits = reinterpret_cast<RankBits*>(task.sorted + begin);
        indices = task.order + begin;
    }
    for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        const Record record(task.keys, point_indices[begin + i]);
        bits[i] = record.bits;
        indices[i] = record.index;
    }
    __syncthreads();
    sort_by_exchange(bits, indices, n);
    for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        set_rank(task, begin + i, Record(bits[i], indices[i]));
    }
}

/// Sorts the tiles that are too long.
/// \param capacity  records that dynamic shared memory has room for
template <class Task>
__global__ void __launch_bounds__(long_threads) sort_long_tiles_kernel(
    const __grid_constant__ Task task,
    const __grid_constant__ RankScratch<typename Task::Key> scratch,
    std::uint32_t capacity
) {
    extern __shared__ std::byte shared[];
    auto& tile = *reinterpret_cast<LongTile<typename Task::Key>*>(shared);
    const std::uint32_t n_long = *scratch.n_long;
    for (std::uint32_t t = blockIdx.x; t < n_long; t += gridDim.x) {
        const std::uint32_t begin = scratch.tile_begins[scratch.long_tiles[t]];
        const std::uint32_t n = scratch.tile_begins[scratch.long_tiles[t] + 1] - begin;
        if (n <= tile.capacity) {
            sort_tile(tile, task, scratch.indices, begin, n);
        } else {
            exchange_tile(task, scratch.indices, begin, n, shared, capacity);
        }
        __syncthreads();
    }
}

template <class Key>
void sort_points(const RankArrays<Key>& task) {
    using Tile = ShortTile<Key>;
    allow_shared_bytes(sort_points_kernel<RankArrays<Key>>, sizeof(Tile));
    sort_points_kernel<<<1, Tile::threads, sizeof(Tile), cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of sort_points_kernel");
}

template <class Key>
void sort_tiles(
    const RankArrays<Key>& task, const RankSplit& split, const RankScratch<Key>& scratch
) {
    using Tile = ShortTile<Key>;
    allow_shared_bytes(sort_tiles_kernel<RankArrays<Key>>, sizeof(Tile));
    sort_tiles_kernel<<<split.n_tiles(), Tile::threads, sizeof(Tile), cuda_stream()>>>(
        task, scratch
    );
    check_cuda(cudaGetLastError(), "launch of sort_tiles_kernel");
    constexpr std::size_t record = sizeof(RankBits) + sizeof(std::uint32_t);
    const std::size_t capacity = block_shared_bytes() / record;
    allow_shared_bytes(sort_long_tiles_kernel<RankArrays<Key>>, capacity * record);
    sort_long_tiles_kernel<<<split.blocks, long_threads, capacity * record, cuda_stream()>>>(
        task, scratch, static_cast<std::uint32_t>(capacity)
    );
    check_cuda(cudaGetLastError(), "launch of sort_long_tiles_kernel");
}

/// Lists the ordered bits and the indices of the points.
template <class Task>
__global__ void __launch_bounds__(bin_threads)
    list_bits_kernel(const __grid_constant__ Task task, RankBits* bits) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        const RankRecord<typename Task::Key> record(task.keys, i);
        bits[i] = record.bits;
        task.order[i] = record.index;
    }
}

/// Turns bits into keys, where they are.
template <class Task>
__global__ void __launch_bounds__(bin_threads)
    set_keys_kernel(const __grid_constant__ Task task, const RankBits* bits) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        task.sorted[i] = key_of<typename Task::Key>(bits[i]);
    }
}

/// Sorts by a radix sort, where bins will not do.
template <class Key>
void sort_bits(const RankArrays<Key>& task) {
    auto* bits = reinterpret_cast<RankBits*>(task.sorted);
    const unsigned blocks = n_blocks(task.n, bin_threads);
    list_bits_kernel<<<blocks, bin_threads, 0, cuda_stream()>>>(task, bits);
    check_cuda(cudaGetLastError(), "launch of list_bits_kernel");
    radix_sort(bits, task.order, task.n, task.scratch);
    set_keys_kernel<<<blocks, bin_threads, 0, cuda_stream()>>>(task, bits);
    check_cuda(cudaGetLastError(), "launch of set_keys_kernel");
}

/// Whether bins are made for so many points and for the current device.
template <class Key>
bool uses_bins(const RankSplit& split) {
    const std::size_t needed = std::max(fill_shared_bytes(split), sizeof(LongTile<Key>));
    return split.n <= most_binned && needed <= block_shared_bytes();
}

/// Ranks keys, which tie with their index.
template <class Key>
void rank_keys(const RankArrays<Key>& task) {
    if (task.n == 0) {
        return;
    }
    if (task.n <= ShortTile<Key>::capacity) {
        sort_points(task);
        return;
    }
    const RankSplit split = rank_split(task.n);
    if (!uses_bins<Key>(split)) {
        sort_bits(task);
        return;
    }
    const RankScratch<Key> scratch = rank_scratch(task, split);
    fill_bins(task, split, scratch);
    sort_tiles(task, split, scratch);
}

inline void RankTask::cuda(const RankTask& task) {
    rank_keys<double>({task.sorted, task.order, task.scratch, task.x, task.n});
}

} // namespace starfmm
