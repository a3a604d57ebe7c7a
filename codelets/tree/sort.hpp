// SPDX-License-Identifier: BSD-3-Clause
// Sort: points into the order of the pyramid's leaves by successive median splits [GE12 Sec 3.2],
// in three codelets. O(N log(number of leaves)).
//
//   rank        per dimension: a sort of the coordinate, unique because ties go by index
//   sort        all points, as pairs of their ranks, split down to the groups
//   sort_group  one group's pairs, split down to its leaves; then positions and permutation
//
// The pairs are listed twice, by x and by y: bounds and medians are then single elements, and a
// split is one stable partition of the list of the other direction. 8-byte pairs move a third of
// the bytes of points, and have no ties. The order is unique: a split separates by (coordinate,
// user index), a leaf holds its points by (x, user index). CPU and CUDA bodies therefore give the
// same bits.
#pragma once

#include "codelets/simd/simd.hpp"
#include "codelets/simd/simd_partition.hpp"
#include "codelets/tree/sort_task.hpp"
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
void rank_cpu(const RankTask& task) {
    using Sorter = RankSorter<Isa>;
    using Record = typename Sorter::Record;
    static_assert(rank_scratch_bytes(1) - rank_scratch_bytes(0) >= 2 * sizeof(Record));
    auto* records = reinterpret_cast<Record*>(task.scratch);
    Sorter::sort(task.x, task.n, records, {task.sorted, task.order});
}

/// Pairs in the order of one direction, and as much room for the other half of a partition.
template <class Isa>
struct PairList {
    RankPair* pairs;
    RankPair* spare;

    [[nodiscard]] PairList from(std::size_t i) const { return {pairs + i, spare + i}; }

    /// Keeps the `k` pairs that are below `pivot` in direction D, and returns the others.
    template <int D>
    [[nodiscard]] PairList partition(std::size_t n, std::size_t k, std::uint32_t pivot) const {
        stable_partition<D, Isa>(pairs, n, pivot, spare + k);
        return {spare + k, pairs + k};
    }
};

/// Distribution of pairs by the digits of `rank - low`, the lowest first.
template <int D, class Isa>
PairList<Isa>
radix_sort(const RankPair* pairs, std::size_t n, PairList<Isa> out, std::uint32_t low, int bits) {
    constexpr int digit_bits = 10;
    constexpr std::uint32_t n_digits = 1U << digit_bits;
    for (int shift = 0; shift < bits; shift += digit_bits) {
        const auto digit = [low, shift](RankPair pair) {
            return (rank_of<D>(pair) - low) >> shift & (n_digits - 1);
        };
        std::array<std::uint32_t, n_digits> end{};
        for (std::size_t i = 0; i < n; ++i) {
            ++end[digit(pairs[i])];
        }
        std::uint32_t sum = 0;
        for (std::uint32_t& e : end) {
            sum += std::exchange(e, sum);
        }
        for (std::size_t i = 0; i < n; ++i) {
            out.spare[end[digit(pairs[i])]++] = pairs[i];
        }
        std::swap(out.pairs, out.spare);
        pairs = out.pairs;
    }
    return out;
}

/// The pairs in order of their ranks in direction D; `out` tells where there is room for them.
template <int D, class Isa>
PairList<Isa> list_by_rank(const RankPair* pairs, std::size_t n, PairList<Isa> out) {
    std::uint32_t low = ~0U;
    std::uint32_t high = 0;
    for (std::size_t i = 0; i < n; ++i) {
        low = std::min(low, rank_of<D>(pairs[i]));
        high = std::max(high, rank_of<D>(pairs[i]));
    }
    if (n > 1 && high - low != n - 1) {
        return radix_sort<D>(pairs, n, out, low, static_cast<int>(std::bit_width(high - low)));
    }
    // Without gaps, as in the only group: every pair's place is known.
    for (std::size_t i = 0; i < n; ++i) {
        out.pairs[rank_of<D>(pairs[i]) - low] = pairs[i];
    }
    return out;
}

/// Splits points level by level.
/// \tparam Leaf called with (node, first point, pairs by x rank, number of pairs) for each node of
///   the last depth
template <class Isa, class Leaf>
class MedianSplitter {
public:
    using List = PairList<Isa>;

    MedianSplitter(
        const SplitTree& tree, const double* const* sorted, SplitPlane* planes, Leaf leaf
    )
        : tree_(tree), sorted_{sorted[0], sorted[1]}, planes_(planes), leaf_(leaf) {}

    /// The points' pairs by x and by y rank; partition_slack behind each of the arrays.
    void split(List x, List y) const { split_node(0, {0, x, y, Bounds<double>::nothing()}); }

private:
    struct Node {
        std::uint64_t index;
        List x;
        List y;
        Bounds<double> bounds; ///< at even depths (whole levels) measured, at odd ones inherited
    };

    /// Upper halves first: partitions write a little behind their end, where all is done by then.
    void split_node(int depth, Node node) const {
        const std::uint64_t begin = tree_.begin(depth, node.index);
        const std::uint64_t n = tree_.begin(depth, node.index + 1) - begin;
        if (depth == tree_.depths) {
            leaf_(node.index, begin, node.x.pairs, n);
            return;
        }
        if ((tree_.first_depth + depth) % 2 == 0) {
            node.bounds = measure(node, n);
        }
        const std::uint64_t k = tree_.begin(depth + 1, 2 * node.index + 1) - begin;
        const int d = split_direction(node.bounds);
        Node upper{2 * node.index + 1, node.x.from(k), node.y.from(k), node.bounds};
        double plane = node.bounds.max[d];
        if (k < n) {
            const std::uint32_t pivot =
                d == 0 ? rank_of<0>(*upper.x.pairs) : rank_of<1>(*upper.y.pairs);
            plane = sorted_[d][pivot];
            if (d == 1) {
                upper.x = node.x.template partition<1>(n, k, pivot);
            } else if (depth + 1 < tree_.depths) {
                upper.y = node.y.template partition<0>(n, k, pivot);
            }
        }
        planes_[plane_index(depth, node.index)] = {plane, static_cast<std::uint32_t>(d)};
        upper.bounds.min[d] = plane;
        node.bounds.max[d] = plane;
        node.index *= 2;
        split_node(depth + 1, upper);
        split_node(depth + 1, node);
    }

    Bounds<double> measure(const Node& node, std::size_t n) const {
        if (n == 0) {
            return Bounds<double>::nothing();
        }
        const RankPair* x = node.x.pairs;
        const RankPair* y = node.y.pairs;
        return {
            {sorted_[0][rank_of<0>(x[0])], sorted_[1][rank_of<1>(y[0])]},
            {sorted_[0][rank_of<0>(x[n - 1])], sorted_[1][rank_of<1>(y[n - 1])]}};
    }

    SplitTree tree_;
    const double* sorted_[2];
    SplitPlane* planes_;
    Leaf leaf_;
};

/// The lists by x and by y in a task's scratch: four arrays with room behind each.
template <class Isa>
std::array<PairList<Isa>, 2> pair_lists(std::byte* scratch, std::size_t n) {
    static_assert(sort_scratch_bytes(0) >= 4 * partition_slack * sizeof(RankPair));
    const std::size_t stride = n + partition_slack;
    auto* x = reinterpret_cast<RankPair*>(scratch);
    RankPair* y = x + 2 * stride;
    return {{{x, x + stride}, {y, y + stride}}};
}

template <class Isa>
void sort_cpu(const SortTask& task) {
    const auto [x, y] = pair_lists<Isa>(task.scratch, task.n);
    auto* y_rank = reinterpret_cast<std::uint32_t*>(y.spare); // by user index
    for (std::size_t rank = 0; rank < task.n; ++rank) {
        y_rank[task.order[1][rank]] = static_cast<std::uint32_t>(rank);
    }
    RankPair* by_x = task.n_groups == 1 ? task.pairs(0) : x.pairs;
    for (std::size_t rank = 0; rank < task.n; ++rank) {
        by_x[rank] = make_rank_pair(static_cast<std::uint32_t>(rank), y_rank[task.order[0][rank]]);
    }
    if (task.n_groups == 1) {
        return;
    }
    for (std::size_t rank = 0; rank < task.n; ++rank) {
        y.pairs[rank_of<1>(x.pairs[rank])] = x.pairs[rank];
    }
    const auto leaf =
        [&task](
            std::uint64_t group, std::uint64_t /*begin*/, const RankPair* pairs, std::size_t n
        ) { std::copy_n(pairs, n, task.pairs(group)); };
    MedianSplitter<Isa, decltype(leaf)>(split_tree(task), task.sorted, task.planes, leaf)
        .split(x, y);
}

template <class Isa>
void sort_group_cpu(const SortGroupTask& task) {
    const auto [x, y] = pair_lists<Isa>(task.scratch, task.n);
    std::copy_n(task.pairs, task.n, x.pairs);
    const auto leaf =
        [&task](std::uint64_t /*node*/, std::uint64_t begin, const RankPair* pairs, std::size_t n) {
            for (std::size_t i = 0; i < n; ++i) {
                task.set_point(begin + i, pairs[i]);
            }
        };
    MedianSplitter<Isa, decltype(leaf)>(split_tree(task), task.sorted, task.planes, leaf)
        .split(x, list_by_rank<1>(task.pairs, task.n, y));
    for (std::size_t b = 0; b <= pyramid_of<2>(task.args).leaves(); ++b) {
        task.set_offset(b);
    }
}

} // namespace starfmm
