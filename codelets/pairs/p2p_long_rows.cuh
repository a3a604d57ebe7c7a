// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of P2P for leaves of an orthtree that are near to far more leaves than others are.
// The rows of such leaves are cut in shares, each for a block; the block that is the last one of a
// row adds up what the others have found, always in the same order.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/cuda/task_room.cuh"
#include "codelets/pairs/near_sources.cuh"

#include <algorithm>

namespace starfmm {

/// Whether a leaf of an orthtree has so many near leaves that it is done apart: a large one beside
/// many small ones kept a warp busy for 10 ms where all others took 1.
__device__ inline bool is_long_row(const ListView& near, std::size_t leaf, std::size_t n_leaves) {
    const std::uint32_t mean = near.offsets[n_leaves] / static_cast<std::uint32_t>(n_leaves);
    return near.offsets[leaf + 1] - near.offsets[leaf] > 64 + 2 * mean;
}

/// A part of a long row, for some of the leaf's targets.
struct RowShare {
    std::uint32_t leaf;
    std::uint32_t begin; ///< first of the targets
    std::uint32_t end;
    std::uint32_t first; ///< number of the first share of these targets
    std::uint32_t part;  ///< index among the shares of these targets
    std::uint32_t n_parts;
    std::uint32_t sums; ///< where the sums of their shares begin, in values

    /// Returns the share's part of a row's entries.
    [[nodiscard]] __device__ NearEntries entries(const NearEntries& row) const {
        const std::uint64_t n = row.end - row.begin;
        return {
            row.begin + static_cast<std::uint32_t>(n * part / n_parts),
            row.begin + static_cast<std::uint32_t>(n * (part + 1) / n_parts)};
    }
};

/// The sizes of shares and of their memory: the lists alone decide which rows are cut.
template <class K>
struct ShareRule {
    static constexpr std::uint32_t shortest = 64;      ///< least entries of a share
    static constexpr std::uint32_t most_targets = 128; ///< most targets of a share
    static constexpr std::size_t value_bytes = sizeof(typename K::Real) * n_value_components<K>;

    /// The most shares that all entries would make: 33 MB of sums at most.
    static constexpr std::uint32_t most_cut = (1U << 17) / value_bytes;

    /// Returns the number of entries of a share.
    __device__ static std::uint32_t length(std::uint32_t n_entries) {
        const std::uint32_t length = n_entries / most_cut + 1;
        return length < shortest ? shortest : length;
    }

    /// Returns the most shares of rows that are cut: no more than twice their entries fill.
    static std::size_t most_parts(const ListLayout& lists) {
        return 2 * std::min<std::size_t>(most_cut, lists.near_capacity / shortest + 1);
    }

    static std::size_t most_sums(const ListLayout& lists) {
        return most_targets * most_parts(lists);
    }

    static std::size_t most_shares(const ListLayout& lists, std::size_t n_leaves, std::size_t n) {
        return most_parts(lists) + n_leaves + n / most_targets;
    }
};

/// The shares of all long rows, and their sums.
template <class K>
struct LongRowShares {
    struct Totals {
        unsigned n_shares;
        unsigned n_sums;
        unsigned next; ///< next share that no block has taken
    };

    Totals* totals = nullptr;
    RowShare* shares = nullptr; ///< null if no row is done apart
    /// Shares of the same targets that are done, at the place of the first one.
    unsigned* n_done = nullptr;
    ValueView<K> sums{};

    LongRowShares() = default;

    /// Takes its arrays, or counts what they need where `room` is still nowhere.
    LongRowShares(RoomParts& room, const P2PTask<K>& task) : totals(room.take<Totals>(1)) {
        if (!task.args.has_orthtree()) {
            return;
        }
        const std::size_t most = ShareRule<K>::most_shares(
            task.args.lists, n_leaves_of<dimension_of<K>>(task.args), n_points(task.targets)
        );
        shares = room.take<RowShare>(most);
        n_done = room.take<unsigned>(most);
        for (auto& component : sums.of_component) {
            component = room.take<typename K::Real>(ShareRule<K>::most_sums(task.args.lists));
        }
    }

    [[nodiscard]] __device__ bool
    has(const ListView& near, std::size_t leaf, std::size_t n_leaves) const {
        return shares != nullptr && is_long_row(near, leaf, n_leaves);
    }
};

inline constexpr int find_rows_threads = 128;

/// Finds long rows, a leaf a thread.
template <class K>
__global__ void __launch_bounds__(find_rows_threads) p2p_find_long_rows_kernel(
    const __grid_constant__ P2PTask<K> task, const __grid_constant__ LongRowShares<K> all
) {
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const std::size_t leaf = thread_index();
    const ListView near = task.near_list();
    if (leaf >= n_leaves || !is_long_row(near, leaf, n_leaves)) {
        return;
    }
    using Rule = ShareRule<K>;
    const std::uint32_t length = Rule::length(near.offsets[n_leaves]);
    const std::uint32_t n_entries = near.offsets[leaf + 1] - near.offsets[leaf];
    const std::uint32_t begin = task.target_offsets[leaf];
    const std::uint32_t n_targets = task.target_offsets[leaf + 1] - begin;
    if (n_targets == 0) {
        return;
    }
    const std::uint32_t n_tiles = (n_targets + Rule::most_targets - 1) / Rule::most_targets;
    const std::uint64_t of_part = std::uint64_t(length) * n_tiles; // sums take no more room then
    const bool is_cut = n_entries > of_part;
    const auto n_parts = static_cast<std::uint32_t>((n_entries + of_part - 1) / of_part);
    const std::uint32_t first = atomicAdd(&all.totals->n_shares, n_parts * n_tiles);
    const std::uint32_t sums = is_cut ? atomicAdd(&all.totals->n_sums, n_parts * n_targets) : 0;
    const auto tile_begin = [=](std::uint32_t tile) {
        return static_cast<std::uint32_t>(std::uint64_t(n_targets) * tile / n_tiles);
    };
    for (std::uint32_t tile = 0; tile < n_tiles; ++tile) {
        const std::uint32_t from = tile_begin(tile);
        RowShare share{
            static_cast<std::uint32_t>(leaf),
            begin + from,
            begin + tile_begin(tile + 1),
            first + tile * n_parts,
            0,
            n_parts,
            sums + n_parts * from};
        all.n_done[share.first] = 0;
        for (; share.part < n_parts; ++share.part) {
            all.shares[share.first + share.part] = share;
        }
    }
}

/// Adds up what the shares of a row have found, if this block's is the last of them.
template <class K>
__device__ void
finish_row(const P2PTask<K>& task, const LongRowShares<K>& all, const RowShare& share) {
    __shared__ bool is_last;
    __threadfence(); // what this share has found, before it is counted
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(all.n_done + share.first, 1U) + 1 == share.n_parts;
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    __threadfence();
    const std::uint32_t n = share.end - share.begin;
    for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        auto sum = all.sums[share.sums + i];
        for (std::uint32_t part = 1; part < share.n_parts; ++part) {
            sum += all.sums[share.sums + part * n + i];
        }
        task.near.set(share.begin + i, sum);
    }
}

/// Sums for a chunk over its leaf's row, or over a share of it, by all warps of a block.
/// \param share  null: all of the row. It is read where it is needed, not kept in registers
/// meanwhile.
template <class K, NearShare by>
__device__ void add_share(
    const P2PTask<K>& task,
    const LongRowShares<K>& all,
    const TargetChunk& chunk,
    const RowShare* share
) {
    NearEntries entries(task.near_list(), chunk.leaf);
    if (share != nullptr) {
        entries = share->entries(entries);
    }
    const auto begin = static_cast<unsigned>(chunk.begin);
    const auto n_targets = static_cast<unsigned>(chunk.end - chunk.begin);
    add_near<K, by>(task, chunk, entries, [&](unsigned i, const auto& value) {
        if (share != nullptr && share->n_parts > 1) {
            all.sums.set(share->sums + share->part * n_targets + (i - begin), value);
        } else {
            task.near.set(i, value);
        }
    });
    if (share != nullptr && share->n_parts > 1) {
        finish_row(task, all, *share);
    }
}

__device__ inline TargetChunk targets_of(const RowShare& share) {
    return {share.leaf, share.begin, share.end};
}

inline constexpr unsigned most_long_row_warps = 16;

/// Sums a share a block, one after the other.
template <class K>
__global__ void __launch_bounds__(most_long_row_warps* warp_lanes, 1) p2p_long_rows_kernel(
    const __grid_constant__ P2PTask<K> task, const __grid_constant__ LongRowShares<K> all
) {
    __shared__ unsigned next;
    const unsigned n_shares = all.totals->n_shares;
    while (true) {
        if (threadIdx.x == 0) {
            next = atomicAdd(&all.totals->next, 1U);
        }
        __syncthreads();
        const unsigned number = next;
        __syncthreads();
        if (number >= n_shares) {
            return;
        }
        const RowShare& share = all.shares[number];
        add_share<K, NearShare::leaves>(task, all, targets_of(share), &share);
    }
}

/// Returns the warps of a block, as many as have room.
template <class K>
unsigned long_row_warps() {
    unsigned warps = most_long_row_warps;
    while (warps > 1 && warps * sizeof(PairRoom<K>) > block_shared_bytes()) {
        warps /= 2;
    }
    return warps;
}

/// Finds the shares of long rows, if the task has any.
template <class K>
void p2p_find_long_rows(const P2PTask<K>& task, const LongRowShares<K>& all) {
    check_cuda(
        cudaMemsetAsync(all.totals, 0, sizeof(*all.totals), cuda_stream()), "cudaMemsetAsync"
    );
    if (all.shares != nullptr) {
        const unsigned blocks =
            n_blocks(n_leaves_of<dimension_of<K>>(task.args), find_rows_threads);
        p2p_find_long_rows_kernel<K><<<blocks, find_rows_threads, 0, cuda_stream()>>>(task, all);
        check_cuda(cudaGetLastError(), "launch of p2p_find_long_rows_kernel");
    }
}

/// Sums long rows by blocks of many warps, where leaves are few.
template <class K>
void p2p_long_rows(const P2PTask<K>& task, const LongRowShares<K>& all) {
    const unsigned warps = long_row_warps<K>();
    const std::size_t shared_bytes = warps * sizeof(PairRoom<K>);
    const auto kernel = p2p_long_rows_kernel<K>;
    allow_shared_bytes(kernel, shared_bytes);
    kernel<<<n_multiprocessors(), warps * warp_lanes, shared_bytes, cuda_stream()>>>(task, all);
    check_cuda(cudaGetLastError(), "launch of p2p_long_rows_kernel");
}

} // namespace starfmm
