// SPDX-License-Identifier: BSD-3-Clause
// Sort puts points into the order of the pyramid's leaves by successive median splits [GE12 Sec
// 3.2], in three codelets. O(N log(number of leaves)).
//
//   rank        sorts each coordinate, uniquely because ties go by index
//   sort        splits all points, as pairs of their ranks, down to the groups
//   sort_group  splits one group's pairs down to its leaves; then finds positions and permutation
//
// The pairs are listed once a direction: bounds and medians are then single elements, and a split
// is one stable partition of the list of the other direction. Pairs of 8 bytes move a third of the
// bytes of points, and have no ties. The order is unique: a split separates by
// (coordinate, user index), a leaf holds its points by (x, user index). CPU and CUDA bodies
// therefore give the same bits.
#pragma once

#include "codelets/simd/simd.hpp"
#include "codelets/simd/simd_partition.hpp"
#include "codelets/tree/sort/sort_task.hpp"
#include "core/tree/geometry.hpp"
#include "core/tree/rank_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace starfmm {

template <class Isa>
void RankTask::cpu(const RankTask& task) {
    using Sorter = RankSorter<Isa>;
    using Record = typename Sorter::Record;
    static_assert(rank_scratch_bytes(1) - rank_scratch_bytes(0) >= 2 * sizeof(Record));
    auto* records = reinterpret_cast<Record*>(task.scratch);
    Sorter::sort(task.x, task.n, records, {task.sorted, task.order});
}

/// The points in the order of one direction, and as much room for the other half of a partition.
template <class Isa>
struct RankList {
    RankPair* points;
    RankPair* spare;

    [[nodiscard]] RankList from(std::size_t i) const { return {points + i, spare + i}; }

    /// Keeps the `k` points that are below `pivot` in a direction, and returns the others.
    template <int direction>
    [[nodiscard]] RankList partition(std::size_t n, std::size_t k, std::uint32_t pivot) const {
        stable_partition<direction, Isa>(points, n, pivot, spare + k);
        return {spare + k, points + k};
    }
};

template <class Isa>
using RankLists = std::array<RankList<Isa>, 2>;

/// Distributes points by the digits of `rank - low`, the lowest first.
template <int direction, class Isa>
RankList<Isa>
radix_sort(const RankPair* points, std::size_t n, RankList<Isa> out, std::uint32_t low, int bits) {
    constexpr int digit_bits = 10;
    constexpr std::uint32_t n_digits = 1U << digit_bits;
    for (int shift = 0; shift < bits; shift += digit_bits) {
        const auto digit = [low, shift](const RankPair& point) {
            return (rank_of(point, direction) - low) >> shift & (n_digits - 1);
        };
        std::array<std::uint32_t, n_digits> end{};
        for (std::size_t i = 0; i < n; ++i) {
            ++end[digit(points[i])];
        }
        std::uint32_t sum = 0;
        for (std::uint32_t& e : end) {
            sum += std::exchange(e, sum);
        }
        for (std::size_t i = 0; i < n; ++i) {
            out.spare[end[digit(points[i])]++] = points[i];
        }
        std::swap(out.points, out.spare);
        points = out.points;
    }
    return out;
}

/// Returns the points in order of their ranks in a direction; `out` tells where there is room for
/// them.
template <int direction, class Isa>
RankList<Isa> list_by_rank(const RankPair* points, std::size_t n, RankList<Isa> out) {
    std::uint32_t low = ~0U;
    std::uint32_t high = 0;
    for (std::size_t i = 0; i < n; ++i) {
        low = std::min(low, rank_of(points[i], direction));
        high = std::max(high, rank_of(points[i], direction));
    }
    if (n > 1 && high - low != n - 1) {
        return radix_sort<direction>(
            points, n, out, low, static_cast<int>(std::bit_width(high - low))
        );
    }
    // Without gaps, as in the only group: every point's place is known.
    for (std::size_t i = 0; i < n; ++i) {
        out.points[rank_of(points[i], direction) - low] = points[i];
    }
    return out;
}

/// A splitter of points level by level.
/// \tparam Leaf  is called with (node, first point, points by x rank, number of points) for each
/// node of the last depth
template <class Isa, class Leaf>
class MedianSplitter {
public:
    using Lists = RankLists<Isa>;

    MedianSplitter(
        const SplitTree& tree, const double* const* sorted, SplitPlane* planes, Leaf leaf
    )
        : tree_(tree), planes_(planes), leaf_(leaf) {
        std::copy_n(sorted, 2, sorted_);
    }

    /// Splits the points, which are given by each of their ranks; each of the arrays has
    /// partition_slack behind it.
    void split(const Lists& lists) const {
        split_node(0, {0, lists, Bounds<double, 2>::nothing()});
    }

private:
    struct Node {
        std::uint64_t index;
        Lists lists;
        Bounds<double, 2> bounds; ///< bounds, at whole levels measured, elsewhere inherited
    };

    void split_node(int depth, Node node) const {
        const std::uint64_t begin = tree_.begin(depth, node.index);
        const std::uint64_t n = tree_.begin(depth, node.index + 1) - begin;
        if (depth == tree_.depths) {
            leaf_(node.index, begin, node.lists[0].points, n);
            return;
        }
        if ((tree_.first_depth + depth) % 2 == 0) {
            node.bounds = measure(node, n);
        }
        const std::uint64_t n_lower = tree_.begin(depth + 1, 2 * node.index + 1) - begin;
        if (split_direction(node.bounds) == 0) {
            split_along<0>(depth, node, n, n_lower);
        } else {
            split_along<1>(depth, node, n, n_lower);
        }
    }

    /// Splits a node, upper halves first: partitions write a little behind their end, where all is
    /// done by then.
    template <int d>
    void split_along(int depth, Node& node, std::size_t n, std::size_t n_lower) const {
        Node upper{2 * node.index + 1, {}, node.bounds};
        for (int e = 0; e < 2; ++e) {
            upper.lists[e] = node.lists[e].from(n_lower);
        }
        double plane = node.bounds.max[d];
        if (n_lower < n) {
            const std::uint32_t pivot = rank_of(*upper.lists[d].points, d);
            plane = sorted_[d][pivot];
            // Below the last split, only the order by x is needed.
            for (int e = 0; e < 2; ++e) {
                if (e != d && (e == 0 || depth + 1 < tree_.depths)) {
                    upper.lists[e] = node.lists[e].template partition<d>(n, n_lower, pivot);
                }
            }
        }
        planes_[plane_index(depth, node.index)] = {plane, static_cast<std::uint32_t>(d)};
        upper.bounds.min[d] = plane;
        node.bounds.max[d] = plane;
        node.index *= 2;
        split_node(depth + 1, upper);
        split_node(depth + 1, node);
    }

    Bounds<double, 2> measure(const Node& node, std::size_t n) const {
        auto bounds = Bounds<double, 2>::nothing();
        for (int d = 0; d < 2 && n > 0; ++d) {
            const RankPair* points = node.lists[d].points;
            bounds.min[d] = sorted_[d][rank_of(points[0], d)];
            bounds.max[d] = sorted_[d][rank_of(points[n - 1], d)];
        }
        return bounds;
    }

    SplitTree tree_;
    const double* sorted_[2];
    SplitPlane* planes_;
    Leaf leaf_;
};

/// Returns the lists in a task's scratch: two arrays each, with room behind them.
template <class Isa>
RankLists<Isa> rank_lists(std::byte* scratch, std::size_t n) {
    static_assert(sort_scratch_bytes(0) >= 4 * partition_slack * sizeof(RankPair));
    const std::size_t stride = n + partition_slack;
    auto* next = reinterpret_cast<RankPair*>(scratch);
    RankLists<Isa> lists;
    for (RankList<Isa>& list : lists) {
        list = {next, next + stride};
        next += 2 * stride;
    }
    return lists;
}

/// Finds the ranks of all points, by x.
/// \param y_rank  [n], scratch: ranks by user index
template <class Isa>
void rank_points(const SortTask& task, std::uint32_t* y_rank, RankPair* points) {
    for (std::size_t rank = 0; rank < task.n; ++rank) {
        y_rank[task.order[1][rank]] = static_cast<std::uint32_t>(rank);
    }
    for (std::size_t rank = 0; rank < task.n; ++rank) {
        points[rank] =
            make_rank_pair(static_cast<std::uint32_t>(rank), y_rank[task.order[0][rank]]);
    }
}

template <class Isa>
void SortTask::cpu(const SortTask& task) {
    const auto lists = rank_lists<Isa>(task.scratch, task.n);
    RankPair* by_x = task.n_groups == 1 ? task.ranks(0) : lists[0].points;
    rank_points<Isa>(task, reinterpret_cast<std::uint32_t*>(lists[1].spare), by_x);
    if (task.n_groups == 1) {
        return;
    }
    for (std::size_t i = 0; i < task.n; ++i) {
        lists[1].points[rank_of(by_x[i], 1)] = by_x[i];
    }
    const auto leaf =
        [&task](
            std::uint64_t group, std::uint64_t /*begin*/, const RankPair* points, std::size_t n
        ) { std::copy_n(points, n, task.ranks(group)); };
    MedianSplitter<Isa, decltype(leaf)>(split_tree(task), task.sorted, task.planes, leaf)
        .split(lists);
}

template <class Isa>
void SortGroupTask::cpu(const SortGroupTask& task) {
    auto lists = rank_lists<Isa>(task.scratch, task.n);
    std::copy_n(task.ranks, task.n, lists[0].points);
    lists[1] = list_by_rank<1>(task.ranks, task.n, lists[1]);
    const auto leaf =
        [&task](
            std::uint64_t /*node*/, std::uint64_t begin, const RankPair* points, std::size_t n
        ) {
            for (std::size_t i = 0; i < n; ++i) {
                task.set_point(begin + i, points[i]);
            }
        };
    MedianSplitter<Isa, decltype(leaf)>(split_tree(task), task.sorted, task.planes, leaf)
        .split(lists);
    for (std::size_t b = 0; b <= pyramid_of<2>(task.args).leaves(); ++b) {
        task.set_offset(b);
    }
}

} // namespace starfmm
