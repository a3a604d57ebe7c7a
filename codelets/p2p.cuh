// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of P2P: a block, of one warp where there are leaves enough, takes up to 256 targets of
// one leaf.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/p2p.hpp"
#include "codelets/pair_tile.cuh"

namespace starfmm {

/// Targets of one leaf that a group of lanes takes at once.
inline constexpr std::size_t chunk_targets = 256;

struct TargetChunk {
    std::size_t leaf;
    std::size_t begin;
    std::size_t end; ///< == begin: nothing to do
};

/// Number of chunks, some of them empty: known without reading the offsets.
inline std::size_t n_target_chunks(std::size_t n_leaves, std::size_t n_targets) {
    return n_leaves + n_targets / chunk_targets;
}

/// Chunk `index`, which is one of the leaf's.
__device__ inline TargetChunk
chunk_of_leaf(TargetOffsets offsets, std::size_t leaf, std::size_t index) {
    const std::size_t first = offsets[leaf];
    const std::size_t end = offsets[leaf + 1];
    const std::size_t begin = first + (index - leaf - first / chunk_targets) * chunk_targets;
    if (begin >= end) {
        return {leaf, first, first};
    }
    return {leaf, begin, end - begin < chunk_targets ? end : begin + chunk_targets};
}

/// Chunk `index` of leaves of any size. Leaf l has its first at l + offsets[l] / chunk_targets,
/// which leaves it enough of them before the next leaf's.
__device__ inline TargetChunk
target_chunk(TargetOffsets offsets, std::size_t n_leaves, std::size_t index) {
    std::size_t leaf = 0;
    std::size_t beyond = n_leaves;
    while (beyond - leaf > 1) {
        const std::size_t middle = leaf + (beyond - leaf) / 2;
        if (middle + offsets[middle] / chunk_targets <= index) {
            leaf = middle;
        } else {
            beyond = middle;
        }
    }
    return chunk_of_leaf(offsets, leaf, index);
}

template <class Real>
std::size_t n_points(const PointView<Real>& points) {
    return points.y - points.x;
}

/// Of the lanes' leaves, which ascend, the last whose first chunk is at most `index`: its lane, -1
/// if none.
__device__ inline int
last_leaf_before(TargetOffsets offsets, std::size_t leaf, std::size_t n_leaves, std::size_t index) {
    const bool begins = leaf < n_leaves && leaf + offsets[leaf] / chunk_targets <= index;
    return __popc(__ballot_sync(0xffffffffU, begins)) - 1;
}

/// Finds the chunk as target_chunk() does, by all lanes of a warp, which look at 32 leaves at once:
/// first about where it lies if all leaves have as many targets.
__device__ inline TargetChunk
warp_target_chunk(TargetOffsets offsets, std::size_t n_leaves, std::size_t index) {
    const unsigned lane = threadIdx.x % warp_lanes;
    const float share = static_cast<float>(index) / static_cast<float>(gridDim.x);
    const auto middle = static_cast<std::size_t>(share * static_cast<float>(n_leaves));
    std::size_t leaf = middle < warp_lanes / 2 ? 0 : middle - warp_lanes / 2;
    const int near = last_leaf_before(offsets, leaf + lane, n_leaves, index);
    if (near >= 0 && (near < warp_lanes - 1 || leaf + warp_lanes >= n_leaves)) {
        return chunk_of_leaf(offsets, leaf + near, index);
    }
    leaf = 0;
    for (std::size_t stride = n_leaves; stride > 1;) {
        stride = (stride + warp_lanes - 1) / warp_lanes;
        const int found = last_leaf_before(offsets, leaf + lane * stride, n_leaves, index);
        leaf += static_cast<std::size_t>(found) * stride;
    }
    return chunk_of_leaf(offsets, leaf, index);
}

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
            const LeafSources leaf = leaf_sources(task_.args, boxes_[entry_ + lane]);
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

/// Most warps of a block, which share a chunk's sources.
inline constexpr unsigned most_p2p_warps = 4;

/// Warps that a multiprocessor holds at once: 96 registers each, without spills. 16 and 24 of them
/// are slower.
inline constexpr unsigned p2p_resident_warps = 20;

/// Targets of a block: one chunk, in as few tiles as hold it. Blocks of one warp leave as soon as
/// they are done, whatever the sizes of other leaves.
template <class K>
__global__ void __launch_bounds__(most_p2p_warps* warp_lanes, p2p_resident_warps / most_p2p_warps)
    p2p_kernel(const __grid_constant__ P2PTask<K> task) {
    const TargetChunk chunk =
        warp_target_chunk(task.target_offsets, task.args.tree.leaves(), blockIdx.x);
    if (chunk.begin == chunk.end) {
        return;
    }
    const auto begin = static_cast<unsigned>(chunk.begin);
    const auto n = static_cast<unsigned>(chunk.end - chunk.begin);
    const unsigned n_tiles = (n + most_targets - 1) / most_targets;
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
inline unsigned p2p_warps(std::size_t n_chunks, std::size_t targets_a_leaf) {
    const std::size_t turn = std::size_t(p2p_resident_warps) * n_multiprocessors();
    unsigned warps = 1;
    while (warps < most_p2p_warps && 2 * n_chunks * warps < 3 * turn && targets_a_leaf >= 22 * warps
    ) {
        warps *= 2;
    }
    return warps;
}

template <class K>
void p2p_cuda(void* buffers[], void* args) {
    const auto task = P2PTask<K>::unpack(buffers, args);
    const std::size_t n_leaves = task.args.tree.leaves();
    const std::size_t n_targets = n_points(task.targets);
    const auto blocks = static_cast<unsigned>(n_target_chunks(n_leaves, n_targets));
    const unsigned warps = p2p_warps(blocks, n_targets / n_leaves);
    const std::size_t shared_bytes = warps * sizeof(SourceRing<K>);
    p2p_kernel<K><<<blocks, warps * warp_lanes, shared_bytes, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of p2p_kernel");
}

} // namespace starfmm
