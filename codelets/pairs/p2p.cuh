// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of P2P: where there are leaves enough, blocks of one warp take up to 256 targets of
// one leaf after the other; else a block takes one such chunk. Leaves of an orthtree that are near
// to far more leaves than others are get many blocks.
#pragma once

#include "codelets/pairs/p2p.hpp"
#include "codelets/pairs/p2p_long_rows.cuh"
#include "codelets/pairs/p2p_mutual.cuh"

namespace starfmm {

/// The warps that a multiprocessor holds at once, at 96 registers each, with few spills, none of
/// which is in a loop over pairs. 16 and 24 warps are slower. Sums of several right-hand sides and
/// of gradients in space take 128 registers, as do mixed ones, but not those of gathered sources.
template <class K>
inline constexpr unsigned p2p_resident_warps =
    !gathers_sources<K> && (n_value_components<K> >= 4 || has_mixed_pairs<K>) ? 16 : 20;

/// The blocks of one warp that a multiprocessor has to hold at once; some hold no more than 16.
template <class K>
inline constexpr unsigned p2p_resident_blocks =
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 800 || (__CUDA_ARCH__ >= 860 && __CUDA_ARCH__ < 890))
    16;
#else
    p2p_resident_warps<K>;
#endif

/// Sums a chunk a block, unless its leaf's row is left to p2p_long_rows().
template <class K>
__global__ void
__launch_bounds__(most_chunk_warps* warp_lanes, p2p_resident_warps<K> / most_chunk_warps)
    p2p_kernel(
        const __grid_constant__ P2PTask<K> task, const __grid_constant__ LongRowShares<K> all
    ) {
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const TargetChunk chunk =
        warp_target_chunk(task.target_offsets, n_leaves, {blockIdx.x, gridDim.x});
    const ListView near = task.near_list();
    if (chunk.begin != chunk.end && !all.has(near, chunk.leaf, n_leaves)) {
        add_near<K, NearShare::sources>(
            task,
            chunk,
            {near, chunk.leaf},
            [&](unsigned i, const auto& value) { task.near.set(i, value); }
        );
    }
}

/// Sums by a warp a block, all of which run at once and take shares of long rows and then chunks in
/// turn: blocks of a chunk each, which left when they were done, filled two thirds of the places.
/// Blocks that leave after 4 or 16 turns, for kernels of higher priority, gain nothing in fused
/// tasks.
template <class K>
__global__ void __launch_bounds__(warp_lanes, p2p_resident_blocks<K>) p2p_in_turn_kernel(
    const __grid_constant__ P2PTask<K> task,
    const __grid_constant__ LongRowShares<K> all,
    unsigned n_chunks
) {
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const unsigned n_shares = all.totals->n_shares;
    const auto take = [&] {
        return from_lane(threadIdx.x == 0 ? atomicAdd(&all.totals->next, 1U) : 0, 0);
    };
    for (unsigned turn = take(); turn < n_shares + n_chunks;) {
        const unsigned later = take(); // on its way while the sums are formed
        const RowShare* share = turn < n_shares ? all.shares + turn : nullptr;
        const TargetChunk chunk =
            share != nullptr
                ? targets_of(*share)
                : warp_target_chunk(task.target_offsets, n_leaves, {turn - n_shares, n_chunks});
        const bool is_done_apart =
            share == nullptr && all.has(task.near_list(), chunk.leaf, n_leaves);
        if (chunk.begin != chunk.end && !is_done_apart) {
            add_share<K, NearShare::sources>(task, all, chunk, share); // of one warp
        }
        turn = later;
    }
}

/// Returns the warps of a chunk: one where that gives the multiprocessors one and a half turns;
/// otherwise more, as long as each has about a quarter of the pairs of a leaf of 45.
template <class K>
unsigned p2p_warps(std::size_t n_chunks, std::size_t targets_a_leaf) {
    const std::size_t turn = std::size_t(p2p_resident_warps<K>) * n_multiprocessors();
    unsigned warps = 1;
    while (warps < most_chunk_warps && 2 * n_chunks * warps < 3 * turn &&
           targets_a_leaf >= 22 * warps) {
        warps *= 2;
    }
    return warps;
}

template <class K>
void p2p_in_turn(const P2PTask<K>& task, const LongRowShares<K>& all, unsigned n_chunks) {
    const std::size_t shared_bytes = sizeof(PairRoom<K>);
    const auto kernel = p2p_in_turn_kernel<K>;
    const unsigned blocks = resident_blocks(kernel, warp_lanes, shared_bytes);
    kernel<<<blocks, warp_lanes, shared_bytes, cuda_stream()>>>(task, all, n_chunks);
    check_cuda(cudaGetLastError(), "launch of p2p_in_turn_kernel");
}

/// Runs P2P with a chunk a block of so many warps.
template <class K>
void p2p_by_chunks(
    const P2PTask<K>& task, const LongRowShares<K>& all, unsigned n_chunks, unsigned warps
) {
    const std::size_t shared_bytes = warps * sizeof(PairRoom<K>);
    if constexpr (has_mixed_pairs<K>) {
        allow_shared_bytes(p2p_kernel<K>, shared_bytes); // more than any kernel may have
    }
    p2p_kernel<K><<<n_chunks, warps * warp_lanes, shared_bytes, cuda_stream()>>>(task, all);
    check_cuda(cudaGetLastError(), "launch of p2p_kernel");
}

/// Runs P2P one way, by chunks alone, too, if the device has too little memory left for the shares.
template <class K>
void p2p_one_way(const P2PTask<K>& task) {
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const std::size_t n_targets = n_points(task.targets);
    const auto chunks = static_cast<unsigned>(n_target_chunks(n_leaves, n_targets));
    const unsigned warps = p2p_warps<K>(chunks, n_targets / n_leaves);
    if (warps > 1 && !task.args.has_orthtree()) {
        return p2p_by_chunks(task, {}, chunks, warps);
    }
    RoomParts needed(nullptr);
    static_cast<void>(LongRowShares<K>(needed, task));
    const TaskRoom room(needed.bytes());
    if (room.data() == nullptr) {
        return p2p_by_chunks(task, {}, chunks, warps);
    }
    RoomParts parts(room.data());
    const LongRowShares<K> all(parts, task);
    p2p_find_long_rows(task, all);
    if (warps == 1) {
        return p2p_in_turn(task, all, chunks);
    }
    p2p_long_rows(task, all);
    p2p_by_chunks(task, all, chunks, warps);
}

/// Runs P2P both ways where sources and targets are one set, with leaves enough to keep the
/// multiprocessors busy: 1024 leaves of 45 points take 0.034 ms one way, and 0.033 to 0.045 both
/// ways; 4096 take 0.097 and 0.085. Leaves of adaptive trees differ too much in size. Near fields
/// take both ways wherever sources are the targets. The task may name a scheme.
template <class K>
void p2p_cuda(const P2PTask<K>& task) {
    if constexpr (MutualKernel<K> && !has_mixed_pairs<K>) {
        const bool may_mutual =
            task.targets.x[0] == task.sources[0].x[0] && task.args.pairs != PairScheme::one_way;
        if (task.args.is_near_field()) {
            return may_mutual ? p2p_near_field<K, Directions::both>(task)
                              : p2p_near_field<K, Directions::one>(task);
        }
        const bool enough =
            n_leaves_of<dimension_of<K>>(task.args) >= p2p_resident_warps<K> * n_multiprocessors();
        const bool asked = task.args.pairs == PairScheme::both_ways;
        if (may_mutual && !task.args.has_orthtree() && (asked || enough)) {
            return p2p_mutual(task);
        }
    }
    p2p_one_way(task);
}

} // namespace starfmm
