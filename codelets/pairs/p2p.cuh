// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of P2P: a block, of one warp where there are leaves enough, takes up to 256 targets of
// one leaf; leaves of an orthtree that are near to far more leaves than others are get many blocks.
#pragma once

#include "codelets/pairs/p2p.hpp"
#include "codelets/pairs/p2p_long_rows.cuh"
#include "codelets/pairs/p2p_mutual.cuh"

namespace starfmm {

/// Warps that a multiprocessor holds at once: 96 registers each, without spills. 16 and 24 of them
/// are slower. Sums of several columns and of gradients of space take 128 registers, as do mixed
/// ones; of gathered sources 80.
template <class K>
inline constexpr unsigned p2p_resident_warps =
    gathers_sources<K>                                 ? 24
    : n_value_components<K> >= 4 || has_mixed_pairs<K> ? 16
                                                       : 20;

/// Targets of a block: one chunk, unless its leaf's row is left to p2p_long_rows(). Blocks of one
/// warp leave as soon as they are done, whatever the sizes of other leaves.
template <class K>
__global__ void
__launch_bounds__(most_chunk_warps* warp_lanes, p2p_resident_warps<K> / most_chunk_warps)
    p2p_kernel(const __grid_constant__ P2PTask<K> task, bool leaves_long_rows) {
    const TargetChunk chunk =
        warp_target_chunk(task.target_offsets, n_leaves_of<dimension_of<K>>(task.args), blockIdx.x);
    if (chunk.begin == chunk.end) {
        return;
    }
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const ListView near = task.near_list();
    if (!leaves_long_rows || !is_long_row(near, chunk.leaf, n_leaves)) {
        add_near<K, NearShare::sources>(
            task,
            chunk,
            {near, chunk.leaf},
            [&](unsigned i, const auto& value) { task.near.set(i, value); }
        );
    }
}

/// One warp a chunk where that gives the multiprocessors one and a half turns; otherwise more, as
/// long as each has about a quarter of the pairs of a leaf of 45.
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
void p2p_one_way(const P2PTask<K>& task, bool leaves_long_rows) {
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const std::size_t n_targets = n_points(task.targets);
    const auto blocks = static_cast<unsigned>(n_target_chunks(n_leaves, n_targets));
    const unsigned warps = p2p_warps<K>(blocks, n_targets / n_leaves);
    const std::size_t shared_bytes = warps * sizeof(PairRoom<K>);
    if constexpr (has_mixed_pairs<K>) {
        allow_shared_bytes(p2p_kernel<K>, shared_bytes); // more than any kernel may have
    }
    p2p_kernel<K>
        <<<blocks, warps * warp_lanes, shared_bytes, cuda_stream()>>>(task, leaves_long_rows);
    check_cuda(cudaGetLastError(), "launch of p2p_kernel");
}

/// Both ways where sources and targets are one set, with leaves enough to keep the multiprocessors
/// busy: 1024 leaves of 45 points take 0.034 ms one way, 0.033 to 0.045 both ways, 4096 take 0.097
/// and 0.085.
template <class K>
void p2p_cuda(const P2PTask<K>& task) {
    if constexpr (MutualKernel<K> && !has_mixed_pairs<K>) {
        // of leaves of one size only
        const bool one_set = task.targets.x[0] == task.sources[0].x[0] && !task.args.has_orthtree();
        if (one_set && pyramid_of<dimension_of<K>>(task.args).leaves() >=
                           p2p_resident_warps<K> * n_multiprocessors()) {
            return p2p_mutual(task);
        }
    }
    p2p_one_way(task, task.args.has_orthtree() && p2p_long_rows(task));
}

} // namespace starfmm
