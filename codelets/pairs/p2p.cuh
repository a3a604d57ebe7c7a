// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of P2P: a block, of one warp where there are leaves enough, takes up to 256 targets of
// one leaf.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/pairs/p2p.hpp"
#include "codelets/pairs/p2p_mutual.cuh"
#include "codelets/pairs/pair_tile.cuh"
#include "codelets/pairs/target_chunk.cuh"

namespace starfmm {

/// The sources of a leaf's near leaves, one leaf after the other; of each leaf the part that is the
/// warp's.
template <class K>
class NearSources {
public:
    __device__ NearSources(const P2PTask<K>& task, std::size_t leaf) : task_(task) {
        const ListView near = task.near_list();
        boxes_ = near.boxes;
        entry_ = near.offsets[leaf];
        last_ = near.offsets[leaf + 1];
        look_up();
    }

    [[nodiscard]] __device__ unsigned filled() const { return filled_; }

    /// A sample: the first of each of up to 32 leaves.
    __device__ void show_sources(RoundingScout<K>& scout) const {
        if (n_ > 0) {
            scout.look_at(task_.sources[slot_], task_.strengths[slot_], begin_);
        }
    }

    __device__ void fill(unsigned wanted, SourceRing<K>& ring) {
        while (filled_ < wanted && entry_ < last_) {
            const int lane = static_cast<int>(entry_ - known_);
            const std::uint32_t slot = from_lane(slot_, lane);
            const unsigned begin = from_lane(begin_, lane) + done_;
            const unsigned rest = from_lane(n_, lane) - done_;
            const unsigned n = rest < piece_sources ? rest : piece_sources;
            ring.fetch_piece(filled_, task_.sources[slot], task_.strengths[slot], begin, n);
            filled_ += n;
            done_ += n;
            if (n == rest) {
                next_entry();
            }
        }
    }

private:
    __device__ void next_entry() {
        done_ = 0;
        ++entry_;
        if (entry_ - known_ == warp_lanes) {
            look_up();
        }
    }

    /// Lane l learns of the l-th of the next 32 entries.
    __device__ void look_up() {
        const unsigned lane = threadIdx.x % warp_lanes;
        known_ = entry_;
        if (entry_ + lane < last_) {
            const LeafSources leaf = leaf_sources<dimension_of<K>>(
                task_.args, task_.source_leaves, boxes_[entry_ + lane]
            );
            const auto n = static_cast<unsigned>(leaf.end - leaf.begin);
            const unsigned warp = threadIdx.x / warp_lanes;
            const unsigned warps_shift = __ffs(blockDim.x / warp_lanes) - 1; // a power of two
            const unsigned first = n * warp >> warps_shift;
            slot_ = leaf.slot;
            begin_ = static_cast<unsigned>(leaf.begin) + first;
            n_ = (n * (warp + 1) >> warps_shift) - first;
        }
    }

    const P2PTask<K>& task_;
    const BoxReference* boxes_;
    std::uint32_t entry_;
    std::uint32_t last_;
    std::uint32_t known_;    ///< the lanes' entries begin here
    unsigned done_ = 0;      ///< sources of the entry
    unsigned filled_ = 0;    ///< sources of all entries
    std::uint32_t slot_ = 0; ///< of the lane's entry, as the next two
    unsigned begin_ = 0;
    unsigned n_ = 0;
};

/// Warps that a multiprocessor holds at once: 96 registers each, without spills. 16 and 24 of them
/// are slower. Sums of several columns and of gradients of space take 128 registers, as do mixed
/// ones.
template <class K>
inline constexpr unsigned p2p_resident_warps =
    n_value_components<K> >= 4 || has_mixed_pairs<K> ? 16 : 20;

/// Targets of a block: one chunk, in as few tiles as hold it. Blocks of one warp leave as soon as
/// they are done, whatever the sizes of other leaves.
template <class K>
__global__ void
__launch_bounds__(most_chunk_warps* warp_lanes, p2p_resident_warps<K> / most_chunk_warps)
    p2p_kernel(const __grid_constant__ P2PTask<K> task) {
    const TargetChunk chunk =
        warp_target_chunk(task.target_offsets, n_leaves_of<dimension_of<K>>(task.args), blockIdx.x);
    if (chunk.begin == chunk.end) {
        return;
    }
    const auto begin = static_cast<unsigned>(chunk.begin);
    const auto n = static_cast<unsigned>(chunk.end - chunk.begin);
    const unsigned n_tiles = (n + most_targets<K> - 1) / most_targets<K>;
    for (unsigned t = 0; t < n_tiles; ++t) {
        for_each_sum<K>(
            {task.targets, begin + n * t / n_tiles, begin + n * (t + 1) / n_tiles},
            [&] { return NearSources<K>(task, chunk.leaf); },
            source_rings<K>(),
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
void p2p_one_way(const P2PTask<K>& task) {
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const std::size_t n_targets = n_points(task.targets);
    const auto blocks = static_cast<unsigned>(n_target_chunks(n_leaves, n_targets));
    const unsigned warps = p2p_warps<K>(blocks, n_targets / n_leaves);
    const std::size_t shared_bytes = warps * sizeof(SourceRing<K>);
    if constexpr (has_mixed_pairs<K>) {
        allow_shared_bytes(p2p_kernel<K>, shared_bytes); // more than any kernel may have
    }
    p2p_kernel<K><<<blocks, warps * warp_lanes, shared_bytes, cuda_stream()>>>(task);
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
    p2p_one_way(task);
}

} // namespace starfmm
