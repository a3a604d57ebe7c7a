// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of sort: planes of nodes, and a warp's part of a node's list.
//
// The list by x holds y ranks, the list by y x ranks: a split has what it compares at hand, in four
// bytes. The lists as they came in, of all points, tell the other rank.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/sort/sort_task.hpp"
#include "core/tree/geometry.hpp"

#include <cstdint>

namespace starfmm {

/// The moves of a node's entries in the list of the other direction, by positions in the list.
struct NodeSplit {
    std::uint32_t begin;
    std::uint32_t middle; ///< first of the upper half
    std::uint32_t end;
    int direction;
    std::uint32_t pivot; ///< rank of the first of the upper half

    __device__ bool is_below(std::uint32_t rank) const { return rank < pivot; }
};

/// The ranks and coordinates of a task's points.
struct RankedPoints {
    const std::uint32_t* other_rank[2]; ///< [n], y rank by x rank, x rank by y rank
    const RankPair* pairs;              ///< [n], ranks among all points; null: the same
    const double* sorted[2];

    /// Returns the rank by x among all points.
    __device__ std::uint32_t total_x_rank(std::uint32_t y_rank) const {
        const std::uint32_t x_rank = other_rank[1][y_rank];
        return pairs == nullptr ? x_rank : rank_of(pairs[x_rank], 0);
    }

    /// Returns the coordinate of the point whose rank in the other direction is `other`.
    __device__ double coordinate(int d, std::uint32_t other) const {
        if (d == 0) {
            return sorted[0][total_x_rank(other)];
        }
        return sorted[1][pairs == nullptr ? other_rank[0][other] : rank_of(pairs[other], 1)];
    }

    __device__ double y(std::uint32_t y_rank) const {
        return sorted[1][pairs == nullptr ? y_rank : rank_of(pairs[other_rank[1][y_rank]], 1)];
    }
};

/// The nodes of one depth of a tree, and the tree's points by x and by y rank, node by node.
struct SplitDepth {
    SplitTree tree;
    int depth;
    const std::uint32_t* lists[2];
    RankedPoints points;

    __device__ std::uint32_t begin(std::uint64_t node) const {
        return static_cast<std::uint32_t>(tree.begin(depth, node));
    }

    __device__ std::uint32_t middle(std::uint64_t node) const {
        return static_cast<std::uint32_t>(tree.begin(depth + 1, 2 * node + 1));
    }

    /// Returns an entry, not by an index into `lists`, which would move the structure out of
    /// registers.
    __device__ std::uint32_t entry(int d, std::uint32_t i) const {
        return d == 0 ? lists[0][i] : lists[1][i];
    }

    __device__ std::uint32_t rank(int d, std::uint32_t i) const {
        return (d == 0 ? points.other_rank[1] : points.other_rank[0])[entry(d, i)];
    }

    __device__ double coordinate(int d, std::uint32_t i) const {
        return points.coordinate(d, entry(d, i));
    }

    __device__ Bounds<double> point_bounds(std::uint64_t node) const {
        const std::uint32_t first = begin(node);
        const std::uint32_t end = begin(node + 1);
        if (first == end) {
            return Bounds<double>::nothing();
        }
        return {
            {coordinate(0, first), coordinate(1, first)},
            {coordinate(0, end - 1), coordinate(1, end - 1)}};
    }

    /// Returns the bounds that decide a split: for a level's boxes the points' bounds, within a
    /// level the parent's, cut at its plane.
    __device__ Bounds<double> split_bounds(std::uint64_t node, const SplitPlane* parent) const {
        Bounds<double> bounds = point_bounds(node);
        if ((tree.first_depth + depth) % 2 == 0) {
            return bounds;
        }
        const Bounds<double> sibling = point_bounds(node ^ 1U);
        for (int d = 0; d < 2; ++d) {
            bounds.min[d] = sibling.min[d] < bounds.min[d] ? sibling.min[d] : bounds.min[d];
            bounds.max[d] = sibling.max[d] > bounds.max[d] ? sibling.max[d] : bounds.max[d];
        }
        (node % 2 == 0 ? bounds.max : bounds.min)[parent->direction] = parent->value;
        return bounds;
    }

    __device__ SplitPlane choose_plane(std::uint64_t node, const SplitPlane* parent) const {
        const Bounds<double> bounds = split_bounds(node, parent);
        const int d = split_direction(bounds);
        const std::uint32_t upper = middle(node);
        return {
            upper < begin(node + 1) ? coordinate(d, upper) : bounds.max[d],
            static_cast<std::uint32_t>(d)};
    }

    __device__ NodeSplit split(std::uint64_t node, int direction) const {
        const std::uint32_t upper = middle(node);
        const std::uint32_t end = begin(node + 1);
        return {begin(node), upper, end, direction, upper < end ? rank(direction, upper) : ~0U};
    }

    /// Whether entries move: the order by y is not needed below the last split.
    __device__ bool moves_entries(int direction) const {
        return direction == 1 || depth + 1 < tree.depths;
    }
};

/// A warp's part of a team's work: the warp is member `index` of `size`.
struct TeamMember {
    std::uint32_t index;
    std::uint32_t size;

    /// Returns where the member's part of [begin, end) begins; it ends where the next member's
    /// begins.
    __device__ std::uint32_t begin(const NodeSplit& split, std::uint32_t member) const {
        const std::uint64_t n = split.end - split.begin;
        return split.begin + static_cast<std::uint32_t>(n * member / size);
    }
};

/// The consecutive entries of a list in the registers of a warp, one a lane and row.
template <int n_rows>
struct WarpRows {
    static constexpr std::uint32_t capacity = n_rows * warp_lanes;
    std::uint32_t entry[n_rows];

    __device__ static std::uint32_t place(int row) {
        return row * warp_lanes + threadIdx.x % warp_lanes;
    }

    /// Loads the first `n` entries of a list, as far as there is room, and elsewhere entries that
    /// are below no plane.
    __device__ void load(const std::uint32_t* list, std::uint32_t n) {
#pragma unroll
        for (int row = 0; row < n_rows; ++row) {
            entry[row] = place(row) < n ? list[place(row)] : ~0U;
        }
    }

    /// Copies the first `n` entries, as far as there are so many.
    __device__ void copy(std::uint32_t* list, std::uint32_t n) const {
#pragma unroll
        for (int row = 0; row < n_rows; ++row) {
            if (place(row) < n) {
                list[place(row)] = entry[row];
            }
        }
    }

    __device__ std::uint32_t count_below(const NodeSplit& split) const {
        std::uint32_t n = 0;
#pragma unroll
        for (int row = 0; row < n_rows; ++row) {
            n += __popc(__ballot_sync(0xffffffffU, split.is_below(entry[row])));
        }
        return n;
    }

    /// Puts the entries, which were from `begin` on, into the list behind the split, up to `end`.
    /// \param n_below  number of entries of the node below the plane that precede these
    /// \return the number of those that precede the next ones
    __device__ std::uint32_t store(
        std::uint32_t* list,
        std::uint32_t begin,
        std::uint32_t end,
        const NodeSplit& split,
        std::uint32_t n_below
    ) const {
        const unsigned lower_lanes = (1U << threadIdx.x % warp_lanes) - 1;
#pragma unroll
        for (int row = 0; row < n_rows; ++row) {
            const bool below = split.is_below(entry[row]);
            const unsigned mask = __ballot_sync(0xffffffffU, below);
            const std::uint32_t before = n_below + __popc(mask & lower_lanes);
            const std::uint32_t i = begin + place(row);
            if (i < end) {
                list[below ? split.begin + before : split.middle + (i - split.begin) - before] =
                    entry[row];
            }
            n_below += __popc(mask);
        }
        return n_below;
    }
};

} // namespace starfmm
