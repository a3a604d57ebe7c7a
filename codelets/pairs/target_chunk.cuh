// SPDX-License-Identifier: BSD-3-Clause
// Pieces of leaves of any size that blocks or warps take, found without a list of them.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/task/task_views.hpp"

namespace starfmm {

/// The targets of one leaf that a group of lanes takes at once.
inline constexpr std::size_t chunk_targets = 256;

/// The most warps of a block, which share a chunk.
inline constexpr unsigned most_chunk_warps = 4;

struct TargetChunk {
    std::size_t leaf;
    std::size_t begin;
    std::size_t end; ///< equal to begin if there is nothing to do
};

/// Returns the number of chunks, some of them empty, which is known without reading the offsets.
inline std::size_t n_target_chunks(std::size_t n_leaves, std::size_t n_targets) {
    return n_leaves + n_targets / chunk_targets;
}

/// Returns chunk `index` of those of the leaf.
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

/// Returns chunk `index` of leaves of any size. Leaf l has its first at
/// l + offsets[l] / chunk_targets, which leaves it enough of them before the next leaf's.
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

template <int D>
std::size_t n_points(const PointView<D>& points) {
    return points.x[1] - points.x[0];
}

/// Returns the lane of the last of the lanes' leaves, which ascend, whose first chunk is at most
/// `index`, -1 if there is none.
__device__ inline int
last_leaf_before(TargetOffsets offsets, std::size_t leaf, std::size_t n_leaves, std::size_t index) {
    const bool begins = leaf < n_leaves && leaf + offsets[leaf] / chunk_targets <= index;
    return __popc(__ballot_sync(0xffffffffU, begins)) - 1;
}

/// The place of a chunk among all.
struct ChunkNumber {
    unsigned index;
    unsigned n_chunks;
};

/// Finds the chunk as target_chunk() does, by all lanes of a warp, which look at 32 leaves at once:
/// first about where it lies if all leaves have as many targets.
__device__ inline TargetChunk
warp_target_chunk(TargetOffsets offsets, std::size_t n_leaves, const ChunkNumber& number) {
    const unsigned lane = threadIdx.x % warp_lanes;
    const std::size_t index = number.index;
    const float share = static_cast<float>(number.index) / static_cast<float>(number.n_chunks);
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

} // namespace starfmm
