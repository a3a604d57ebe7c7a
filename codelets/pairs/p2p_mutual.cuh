// SPDX-License-Identifier: BSD-3-Clause
// P2P by Newton's third law, where sources and targets are one set: each pair of a group's points
// is evaluated once, for both. Leaves add to each other's results, in any order.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/pairs/mutual_tile.cuh"
#include "codelets/pairs/p2p.hpp"
#include "codelets/pairs/pair_tile.cuh"
#include "codelets/pairs/target_chunk.cuh"

namespace starfmm {

/// The targets that a warp holds.
struct MutualTile {
    std::size_t leaf;
    unsigned begin;
    unsigned end;
};

/// Up to 32 entries of a leaf's near list: the sources that a tile meets, one after the other. Of
/// two leaves of the group one meets the other, of two tiles of a leaf the later one the earlier.
template <class K>
class PartnerSources {
public:
    /// The value that source(i) returns for sources without results in this group.
    static constexpr unsigned nowhere = ~0U;

    /// Has lane l learn of entry `first` + l.
    __device__ PartnerSources(
        const P2PTask<K>& task, const MutualTile& tile, std::uint32_t first, std::uint32_t last
    )
        : task_(task), idle_(pair_point<typename K::Real>(task.targets[tile.begin])) {
        const unsigned lane = threadIdx.x % warp_lanes;
        unsigned n = 0;
        if (first + lane < last) {
            const BoxReference reference = task.near_list().boxes[first + lane];
            const LeafSources leaf =
                leaf_sources<dimension_of<K>>(task.args, task.source_leaves, reference);
            slot_ = leaf.slot;
            begin_ = static_cast<unsigned>(leaf.begin);
            is_own_ = reference == tile.leaf;
            const auto end = is_own_ ? tile.begin : static_cast<unsigned>(leaf.end);
            n = slot_ > 0 || is_own_ || meets(tile.leaf, reference) ? end - begin_ : 0;
        }
        end_ = n;
        for (unsigned offset = 1; offset < warp_lanes; offset *= 2) {
            const unsigned before = __shfl_up_sync(0xffffffffU, end_, offset);
            end_ += lane < offset ? 0 : before;
        }
        begin_ -= end_ - n; // so that source i of all lies at begin_ + i
    }

    /// Whether the tile's own leaf is among the entries.
    [[nodiscard]] __device__ bool has_own() const { return __any_sync(0xffffffffU, is_own_); }

    [[nodiscard]] __device__ unsigned size() const { return from_lane(end_, warp_lanes - 1); }

    /// Begins to copy the lane's source `i`, which is without strength beyond the last one.
    /// \returns the place of its results in the group's, or `nowhere`
    template <class Round>
    __device__ unsigned fetch(unsigned i, Round& round) const {
        int entry = 0; // the first whose end lies beyond i
#pragma unroll
        for (int step = warp_lanes / 2; step > 0; step /= 2) {
            entry += from_lane(end_, entry + step - 1) <= i ? step : 0;
        }
        const unsigned slot = from_lane(slot_, entry);
        const unsigned from = from_lane(begin_, entry) + i;
        if (i >= size()) {
            round.store(idle_, {});
            return nowhere;
        }
        round.fetch(task_.sources[slot], task_.strengths[slot], from);
        return slot == 0 ? from : nowhere;
    }

private:
    /// Whether a leaf meets the other one: each of two leaves meets about half of its partners.
    __device__ static bool meets(std::size_t leaf, std::size_t other) {
        return ((leaf ^ other) & 1) != 0 ? leaf < other : leaf > other;
    }

    const P2PTask<K>& task_;
    WarpPoint<K> idle_;
    unsigned end_; ///< end of the lane's entry, counted over all, as the next ones
    unsigned begin_ = 0;
    unsigned slot_ = 0;
    bool is_own_ = false;
};

/// Lets the targets meet the sources of up to 32 entries, a round a warp in turn; the next one is
/// on its way while the lanes meet the last. The last warp begins: the first has the targets' own
/// pairs.
template <class K, class Shape>
__device__ void meet_partners(
    const P2PTask<K>& task,
    const PartnerSources<K>& partners,
    MutualTargets<K, Shape::tile>& targets,
    SourceRound<K, Shape::lanes>* rounds
) {
    const unsigned lane = threadIdx.x % warp_lanes;
    const unsigned n = partners.size();
    unsigned first = blockDim.x - warp_lanes - (threadIdx.x - lane);
    unsigned next = partners.fetch(first + lane, rounds[0]);
    __pipeline_commit();
    for (unsigned now = 0; first < n; now ^= 1) {
        const unsigned place = next;
        first += blockDim.x;
        next = partners.fetch(first + lane, rounds[now ^ 1]);
        __pipeline_commit();
        __pipeline_wait_prior(1); // all but the copies begun last
        __syncwarp();
        const auto reaction =
            meet<K, Shape, Shape::tile, Shape::tile, Shape::lanes>(rounds[now], 0, targets);
        if (place != PartnerSources<K>::nowhere) {
            add_atomically(task.near, place, reacted<K>(reaction));
        }
        __syncwarp();
    }
}

template <class K, class Shape>
__device__ MutualTargets<K, Shape::tile>
load_targets(const P2PTask<K>& task, const MutualTile& tile) {
    MutualTargets<K, Shape::tile> targets{};
#pragma unroll
    for (int t = 0; t < Shape::tile; ++t) {
        const unsigned i = tile.begin + t * Shape::lanes + threadIdx.x % Shape::lanes;
        targets.points[t] =
            pair_point<typename K::Real>(task.targets[i < tile.end ? i : tile.begin]);
        if (i < tile.end) {
            targets.strengths[t] = task.strengths[0][i];
        }
    }
    return targets;
}

template <class K, class Shape>
__device__ void add_targets(
    const P2PTask<K>& task, const MutualTile& tile, const MutualTargets<K, Shape::tile>& targets
) {
    const unsigned lane = threadIdx.x % warp_lanes;
#pragma unroll
    for (int t = 0; t < Shape::tile; ++t) {
        auto sum = targets.sums[t];
        for (int offset = Shape::lanes; offset < warp_lanes; offset *= 2) {
            sum += other_lane(sum, offset);
        }
        const unsigned i = tile.begin + t * Shape::lanes + lane;
        if (lane < Shape::lanes && i < tile.end) {
            add_atomically(task.near, i, sum);
        }
    }
}

/// Adds the pairs of one tile to its results and to those of its partners.
template <class K, class Shape>
__device__ void
meet_near(const P2PTask<K>& task, const MutualTile& tile, SourceRound<K, Shape::lanes>* rounds) {
    auto targets = load_targets<K, Shape>(task, tile);
    const ListView near = task.near_list();
    const std::uint32_t last = near.offsets[tile.leaf + 1];
    for (std::uint32_t entry = near.offsets[tile.leaf]; entry < last; entry += warp_lanes) {
        const PartnerSources<K> partners(task, tile, entry, last);
        if (partners.has_own() && threadIdx.x < warp_lanes) {
            meet_each_other<K, Shape>(targets, rounds[0]);
            __syncwarp();
        }
        meet_partners<K, Shape>(task, partners, targets, rounds);
    }
    add_targets<K, Shape>(task, tile, targets);
}

/// The warps that a multiprocessor holds at once, at 96 registers each, or 128 with the largest
/// shape, without spills.
template <class Shape>
inline constexpr unsigned mutual_resident_warps = Shape::tile > 3 ? 16 : 20;

/// The most warps of a block, which share a tile.
inline constexpr unsigned most_mutual_warps = 4;

/// Returns the warps that share a tile: all of a block where leaves are large, or few and not
/// small.
inline unsigned mutual_warps(std::size_t n_leaves, std::size_t targets_a_leaf) {
    const bool few = n_leaves < 64 * std::size_t(n_multiprocessors());
    return targets_a_leaf >= (few ? 40 : 60) ? most_mutual_warps : 1;
}

/// Returns the leaf of a turn. Leaves take turns from a quarter of their order on: at its ends and
/// thirds lie the corners of the points' bounds, where the longest lists are. These leaves would
/// otherwise be met last.
__device__ inline std::size_t leaf_of_turn(std::size_t n_leaves, std::size_t turn) {
    return (turn + n_leaves / 4) & (n_leaves - 1); // a power of two
}

/// Sums a tile a block.
template <class K, class Shape>
__global__ void
__launch_bounds__(most_mutual_warps* warp_lanes, mutual_resident_warps<Shape> / most_mutual_warps)
    p2p_mutual_kernel(const __grid_constant__ P2PTask<K> task, unsigned tiles_a_leaf) {
    extern __shared__ __align__(16) unsigned char shared_rounds[];
    auto* rounds = reinterpret_cast<SourceRound<K, Shape::lanes>*>(shared_rounds);
    const std::size_t leaf =
        leaf_of_turn(pyramid_of<dimension_of<K>>(task.args).leaves(), blockIdx.x / tiles_a_leaf);
    const std::size_t t = blockIdx.x % tiles_a_leaf;
    const unsigned begin = task.target_offsets[leaf];
    const std::size_t n = task.target_offsets[leaf + 1] - begin;
    const MutualTile tile{
        leaf,
        begin + static_cast<unsigned>(n * t / tiles_a_leaf),
        begin + static_cast<unsigned>(n * (t + 1) / tiles_a_leaf)};
    if (tile.begin < tile.end) {
        meet_near<K, Shape>(task, tile, rounds + 2 * (threadIdx.x / warp_lanes));
    }
}

/// Runs P2P both ways.
/// \pre near lists are symmetric within the group: they are, as the separation of leaves and what
/// P2L and M2P pay for are, whose points are the same
template <class K>
void p2p_mutual(const P2PTask<K>& task) {
    const std::size_t n_leaves = pyramid_of<dimension_of<K>>(task.args).leaves();
    const std::size_t n_targets = n_points(task.targets);
    const std::size_t bytes = n_value_components<K> * n_targets * sizeof(typename K::Real);
    check_cuda(
        cudaMemsetAsync(task.near.of_component[0], 0, bytes, cuda_stream()), "cudaMemsetAsync"
    );
    // leaves of one set differ by a point at most: one shape serves them all
    const unsigned largest = n_blocks(n_targets, n_leaves);
    const unsigned tiles = n_blocks(largest, most_targets<K>);
    const auto blocks = static_cast<unsigned>(n_leaves * tiles);
    const unsigned warps = mutual_warps(n_leaves, largest);
    const std::size_t shared_bytes = warps * 2 * sizeof(SourceRound<K, warp_lanes>);
    with_target_shape<K>(n_blocks(largest, tiles), [&](auto shape) {
        p2p_mutual_kernel<K, decltype(shape)>
            <<<blocks, warps * warp_lanes, shared_bytes, cuda_stream()>>>(task, tiles);
    });
    check_cuda(cudaGetLastError(), "launch of p2p_mutual_kernel");
}

} // namespace starfmm
