// SPDX-License-Identifier: BSD-3-Clause
// P2P by tiles of points that meet sources a round at a time: by Newton's third law, where sources
// and targets are one set, so that each pair of a group's points is evaluated once, for both, and
// leaves add to each other's results, in any order; or, in near fields, each pair once for each of
// its points [SL13 Sec III.B, III.C].
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/pairs/mutual_tile.cuh"
#include "codelets/pairs/p2p.hpp"
#include "codelets/pairs/pair_tile.cuh"
#include "codelets/pairs/target_chunk.cuh"

namespace starfmm {

/// Whom an evaluation of a pair serves: the target, or both points.
enum class Directions { one, both };

/// The targets that a warp holds.
struct MutualTile {
    std::size_t leaf;
    unsigned begin;
    unsigned end;
};

/// Up to 32 entries of a leaf's near list: the sources that a tile meets, one after the other. In
/// one direction these are all; else, of two leaves of the group one meets the other, of two tiles
/// of a leaf the later one the earlier.
template <class K, PairForm form, Directions directions>
class PartnerSources {
public:
    /// The value that source(i) returns for sources without results in this group.
    static constexpr unsigned nowhere = ~0U;

    /// Has lane l learn of entry `first` + l.
    __device__ PartnerSources(
        const P2PTask<K>& task, const MutualTile& tile, std::uint32_t first, std::uint32_t last
    )
        : task_(task), reader_{task.targets[tile.begin]}, idle_(reader_(reader_.origin)) {
        const unsigned lane = threadIdx.x % warp_lanes;
        unsigned n = 0;
        if (first + lane < last) {
            const BoxReference reference = task.near_list().boxes[first + lane];
            const LeafSources leaf =
                leaf_sources<dimension_of<K>>(task.args, task.source_leaves, reference);
            slot_ = leaf.slot;
            begin_ = static_cast<unsigned>(leaf.begin);
            is_own_ = directions == Directions::both && reference == tile.leaf;
            const auto end = is_own_ ? tile.begin : static_cast<unsigned>(leaf.end);
            const bool meets_all = directions == Directions::one || slot_ > 0 || is_own_;
            n = meets_all || meets(tile.leaf, reference) ? end - begin_ : 0;
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
        round.fetch(task_.sources[slot], task_.strengths[slot], from, reader_);
        return slot == 0 ? from : nowhere;
    }

private:
    /// Whether a leaf meets the other one: each of two leaves meets about half of its partners.
    __device__ static bool meets(std::size_t leaf, std::size_t other) {
        return ((leaf ^ other) & 1) != 0 ? leaf < other : leaf > other;
    }

    const P2PTask<K>& task_;
    PointReader<K, form> reader_;
    MetPoint<K, form> idle_;
    unsigned end_; ///< end of the lane's entry, counted over all, as the next ones
    unsigned begin_ = 0;
    unsigned slot_ = 0;
    bool is_own_ = false;
};

/// Lets the targets meet the sources of up to 32 entries, a round a warp in turn; the next one is
/// on its way while the lanes meet the last. The last warp begins: the first has the targets' own
/// pairs.
template <class K, class Shape, PairForm form, Directions directions>
__device__ void meet_partners(
    const P2PTask<K>& task,
    const PartnerSources<K, form, directions>& partners,
    MutualTargets<K, Shape::tile, form>& targets,
    SourceRound<K, Shape::lanes, form>* rounds
) {
    constexpr int both = directions == Directions::both ? Shape::tile : 0;
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
            meet<K, Shape, both, Shape::tile, Shape::lanes>(rounds[now], 0, targets);
        if (both > 0 && place != partners.nowhere) {
            add_atomically(task.near, place, reacted<K>(reaction));
        }
        __syncwarp();
    }
}

template <class K, class Shape, PairForm form>
__device__ MutualTargets<K, Shape::tile, form>
load_targets(const P2PTask<K>& task, const MutualTile& tile, Directions directions) {
    const PointReader<K, form> reader{task.targets[tile.begin]};
    MutualTargets<K, Shape::tile, form> targets{};
#pragma unroll
    for (int t = 0; t < Shape::tile; ++t) {
        const unsigned i = tile.begin + t * Shape::lanes + threadIdx.x % Shape::lanes;
        targets.points[t] = reader(task.targets[i < tile.end ? i : tile.begin]);
        if (i < tile.end && directions == Directions::both) {
            targets.strengths[t] = task.strengths[0][i];
        }
    }
    return targets;
}

template <class K, class Shape, PairForm form>
__device__ void add_targets(
    const P2PTask<K>& task,
    const MutualTile& tile,
    const MutualTargets<K, Shape::tile, form>& targets
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
template <class K, class Shape, PairForm form, Directions directions>
__device__ void meet_near(
    const P2PTask<K>& task, const MutualTile& tile, SourceRound<K, Shape::lanes, form>* rounds
) {
    auto targets = load_targets<K, Shape, form>(task, tile, directions);
    const ListView near = task.near_list();
    const std::uint32_t last = near.offsets[tile.leaf + 1];
    for (std::uint32_t entry = near.offsets[tile.leaf]; entry < last; entry += warp_lanes) {
        const PartnerSources<K, form, directions> partners(task, tile, entry, last);
        if (partners.has_own() && threadIdx.x < warp_lanes) {
            meet_each_other<K, Shape, 0>(targets, rounds[0]);
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
/// thirds lie the corners of the points' bounds, where a pyramid's longest lists are. These leaves
/// would otherwise be met last.
__device__ inline std::size_t leaf_of_turn(std::size_t n_leaves, std::size_t turn) {
    const std::size_t leaf = turn + n_leaves / 4;
    return leaf < n_leaves ? leaf : leaf - n_leaves;
}

/// Sums a tile a block, or several of a leaf that has more targets than its blocks hold.
template <class K, class Shape, PairForm form, Directions directions>
__global__ void
__launch_bounds__(most_mutual_warps* warp_lanes, mutual_resident_warps<Shape> / most_mutual_warps)
    p2p_mutual_kernel(const __grid_constant__ P2PTask<K> task, unsigned tiles_a_leaf) {
    extern __shared__ __align__(16) unsigned char shared_rounds[];
    auto* rounds = reinterpret_cast<SourceRound<K, Shape::lanes, form>*>(shared_rounds);
    const std::size_t leaf =
        leaf_of_turn(n_leaves_of<dimension_of<K>>(task.args), blockIdx.x / tiles_a_leaf);
    const unsigned begin = task.target_offsets[leaf];
    const std::size_t n = task.target_offsets[leaf + 1] - begin;
    const std::size_t least = (n + Shape::targets - 1) / Shape::targets;
    const std::size_t n_tiles = least > tiles_a_leaf ? least : tiles_a_leaf;
    for (std::size_t t = blockIdx.x % tiles_a_leaf; t < n_tiles; t += tiles_a_leaf) {
        const MutualTile tile{
            leaf,
            begin + static_cast<unsigned>(n * t / n_tiles),
            begin + static_cast<unsigned>(n * (t + 1) / n_tiles)};
        if (tile.begin < tile.end) {
            meet_near<K, Shape, form, directions>(
                task, tile, rounds + 2 * (threadIdx.x / warp_lanes)
            );
        }
        __syncwarp(); // a warp's rounds are its own
    }
}

/// What a launch divides leaves by.
struct MutualLaunch {
    std::size_t n_leaves;
    unsigned tiles;   ///< tiles, and blocks, a leaf
    unsigned warps;   ///< warps of a block, which share a tile
    unsigned targets; ///< most targets of a leaf of the mean size in a tile
};

template <class K, class Shape, PairForm form, Directions directions>
void launch_mutual(const P2PTask<K>& task, const MutualLaunch& launch) {
    const std::size_t bytes =
        n_value_components<K> * n_points(task.targets) * sizeof(typename K::Real);
    check_cuda(
        cudaMemsetAsync(task.near.of_component[0], 0, bytes, cuda_stream()), "cudaMemsetAsync"
    );
    const auto blocks = static_cast<unsigned>(launch.n_leaves * launch.tiles);
    const unsigned threads = launch.warps * warp_lanes;
    const std::size_t shared_bytes = launch.warps * 2 * sizeof(SourceRound<K, Shape::lanes, form>);
    p2p_mutual_kernel<K, Shape, form, directions>
        <<<blocks, threads, shared_bytes, cuda_stream()>>>(task, launch.tiles);
    check_cuda(cudaGetLastError(), "launch of p2p_mutual_kernel");
}

/// Runs P2P both ways.
/// \pre near lists are symmetric within the group: they are, as the separation of leaves and what
/// P2L and M2P pay for are, whose points are the same
template <class K>
void p2p_mutual(const P2PTask<K>& task) {
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    // leaves of a pyramid differ by a point at most: one shape serves them all
    const unsigned largest = n_blocks(n_points(task.targets), n_leaves);
    const unsigned tiles = n_blocks(largest, most_targets<K>);
    const MutualLaunch launch{
        n_leaves, tiles, mutual_warps(n_leaves, largest), n_blocks(largest, tiles)};
    with_target_shape<K>(launch.targets, [&](auto shape) {
        launch_mutual<K, decltype(shape), PairForm::split, Directions::both>(task, launch);
    });
}

/// Runs P2P of a near field, one way or both ways.
/// \pre both ways: sources and targets are one set
template <class K, Directions directions>
void p2p_near_field(const P2PTask<K>& task) {
    constexpr PairForm form = rounds_near_field<K> ? PairForm::rounded : PairForm::split;
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const unsigned mean = n_blocks(n_points(task.targets), n_leaves);
    // the largest tiles move the fewest sources
    const unsigned tiles = n_blocks(mean, TileShape<32, 4>::targets);
    const bool few = n_leaves * tiles < 64 * std::size_t(n_multiprocessors());
    const MutualLaunch launch{
        n_leaves, tiles, few && mean >= 40 ? most_mutual_warps : 1, n_blocks(mean, tiles)};
    with_shape<
        TileShape<8, 1>,
        TileShape<8, 2>,
        TileShape<8, 4>,
        TileShape<16, 4>,
        TileShape<32, 4>>(launch.targets, [&](auto shape) {
        launch_mutual<K, decltype(shape), form, directions>(task, launch);
    });
}

} // namespace starfmm
