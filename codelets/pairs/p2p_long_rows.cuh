// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of P2P: leaves of an orthtree that are near to far more leaves than others are. Their
// rows are cut in shares, each for a block; the block that is the last one of a row adds up what
// the others have found, always in the same order.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/cuda/task_room.cuh"
#include "codelets/pairs/near_sources.cuh"

#include <algorithm>

namespace starfmm {

/// Whether a leaf of an orthtree has so many near leaves that it is done apart: a large one beside
/// a dense crowd of small ones kept a warp busy for 10 ms where all others took 1.
__device__ inline bool is_long_row(const ListView& near, std::size_t leaf, std::size_t n_leaves) {
    const std::uint32_t mean = near.offsets[n_leaves] / static_cast<std::uint32_t>(n_leaves);
    return near.offsets[leaf + 1] - near.offsets[leaf] > 64 + 2 * mean;
}

/// A part of a long row.
struct RowShare {
    std::uint32_t leaf;
    std::uint32_t first; ///< number of the row's first share
    std::uint32_t part;  ///< among the row's shares
    std::uint32_t n_parts;
    std::uint32_t sums; ///< where the row's sums of shares begin, in values

    /// Of a row's entries.
    [[nodiscard]] __device__ NearEntries entries(const NearEntries& row) const {
        const std::uint64_t n = row.end - row.begin;
        return {
            row.begin + static_cast<std::uint32_t>(n * part / n_parts),
            row.begin + static_cast<std::uint32_t>(n * (part + 1) / n_parts)};
    }
};

/// What shares take of rows, and of memory.
struct ShareRule {
    static constexpr std::uint32_t shortest = 64;       ///< entries
    static constexpr std::uint32_t most_cut = 16384;    ///< as many shares all entries would make
    static constexpr std::uint32_t most_sums = 1 << 20; ///< of a component; rows beyond are not cut

    /// Entries of a share.
    __device__ static std::uint32_t length(std::uint32_t n_entries) {
        const std::uint32_t length = n_entries / most_cut + 1;
        return length < shortest ? shortest : length;
    }

    /// At most every second row is a long one, and has twice the entries of two shares or more.
    static std::size_t most_shares(std::size_t n_leaves) {
        return n_leaves + 2 * std::size_t(most_cut);
    }
};

/// Shares of all long rows, and what they have found.
template <class K>
struct LongRowShares {
    struct Totals {
        unsigned n_shares;
        unsigned n_sums;
        unsigned next; ///< that no block has taken
    };

    Totals* totals = nullptr;
    RowShare* shares = nullptr; ///< null: no row is done apart
    unsigned* n_done = nullptr; ///< shares of a row, at the place of its first one
    ValueView<K> sums{};

    LongRowShares() = default;

    /// Counts what it needs where `room` is still nowhere.
    LongRowShares(RoomParts& room, const P2PTask<K>& task) : totals(room.take<Totals>(1)) {
        if (!task.args.has_orthtree()) {
            return;
        }
        const std::size_t most = ShareRule::most_shares(n_leaves_of<dimension_of<K>>(task.args));
        shares = room.take<RowShare>(most);
        n_done = room.take<unsigned>(most);
        for (auto& component : sums.of_component) {
            component = room.take<typename K::Real>(ShareRule::most_sums);
        }
    }

    [[nodiscard]] __device__ bool
    has(const ListView& near, std::size_t leaf, std::size_t n_leaves) const {
        return shares != nullptr && is_long_row(near, leaf, n_leaves);
    }
};

inline constexpr int find_rows_threads = 128;

/// A leaf a thread.
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
    const std::uint32_t length = ShareRule::length(near.offsets[n_leaves]);
    const std::uint32_t n_entries = near.offsets[leaf + 1] - near.offsets[leaf];
    const std::uint32_t n_targets = task.target_offsets[leaf + 1] - task.target_offsets[leaf];
    std::uint32_t n_parts = (n_entries + length - 1) / length;
    std::uint32_t sums = 0;
    if (n_parts > 1 && n_targets <= ShareRule::most_sums / n_parts) {
        sums = atomicAdd(&all.totals->n_sums, n_parts * n_targets);
        n_parts = sums <= ShareRule::most_sums - n_parts * n_targets ? n_parts : 1;
    } else {
        n_parts = 1;
    }
    const std::uint32_t first = atomicAdd(&all.totals->n_shares, n_parts);
    for (std::uint32_t part = 0; part < n_parts; ++part) {
        all.shares[first + part] = {static_cast<std::uint32_t>(leaf), first, part, n_parts, sums};
    }
    all.n_done[first] = 0;
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
    const std::uint32_t begin = task.target_offsets[share.leaf];
    const std::uint32_t n = task.target_offsets[share.leaf + 1] - begin;
    for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        auto sum = all.sums[share.sums + i];
        for (std::uint32_t part = 1; part < share.n_parts; ++part) {
            sum += all.sums[share.sums + part * n + i];
        }
        task.near.set(begin + i, sum);
    }
}

/// Sums of a chunk over its leaf's row, or over a share of it, by all warps of a block.
/// \param share null: all of the row. Read where it is needed, not kept in registers meanwhile.
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

/// All targets of the share's leaf.
template <class K>
__device__ TargetChunk targets_of(const P2PTask<K>& task, const RowShare& share) {
    return {share.leaf, task.target_offsets[share.leaf], task.target_offsets[share.leaf + 1]};
}

inline constexpr unsigned most_long_row_warps = 16;

/// A share a block, one after the other.
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
        add_share<K, NearShare::leaves>(task, all, targets_of(task, share), &share);
    }
}

/// As many warps a block as have room.
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

/// Long rows by blocks of many warps: where leaves are few.
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
