// SPDX-License-Identifier: BSD-3-Clause
// Sort: the buffers of its tasks, the same for CPU and CUDA bodies.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/pyramid.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// The ranks of a point among all points, by x and by y: a word, as vectors and GPUs move them.
using RankPair = std::uint64_t;

STARFMM_HOST_DEVICE constexpr RankPair make_rank_pair(std::uint32_t x_rank, std::uint32_t y_rank) {
    return RankPair(y_rank) << 32 | x_rank;
}

STARFMM_HOST_DEVICE constexpr std::uint32_t rank_of(RankPair pair, int d) {
    return static_cast<std::uint32_t>(pair >> (32 * d));
}

/// Returns the bytes of scratch that `rank` needs for n points, on any worker: on a CPU two records
/// of 16 bytes a point, on a GPU at most as much for bins or for CUB, and the samples.
constexpr std::size_t rank_scratch_bytes(std::size_t n) {
    return 32 * n + (std::size_t(1) << 17U);
}

/// Returns the bytes of scratch that `sort` and `sort_group` need for n points, on any worker: on a
/// CPU two lists of ranks a direction, on a GPU lists, ranks or their counts, and memory for CUB,
/// besides what partitions take.
constexpr std::size_t sort_scratch_bytes(std::size_t n) {
    return (4 * sizeof(RankPair) + 2) * n + (std::size_t(1) << 16U);
}

struct RankTask {
    static constexpr std::string_view name = "rank";
    static constexpr Color color = Color::grey;
    double* sorted;       ///< W   [n], coordinate by rank
    std::uint32_t* order; ///< W   [n], user index by rank
    std::byte* scratch;   ///< scratch [rank_scratch_bytes(n)]
    const double* x;      ///< R   [n], user order
    std::size_t n;

    template <class Buffers>
    static RankTask of(Buffers& buffers) {
        return {
            buffers.template write<double>(),
            buffers.template write<std::uint32_t>(),
            buffers.template scratch<std::byte>(),
            buffers.template read<double>(),
            buffers.size()};
    }

    template <class Isa>
    static void cpu(const RankTask& task);
    static void cuda(const RankTask& task);
};

struct SortTask {
    static constexpr std::string_view name = "sort";
    static constexpr Color color = Color::brown;
    TaskArgs args;
    SplitPlane* planes;            ///< W   [4^split_levels - 1]
    std::byte* scratch;            ///< scratch [sort_scratch_bytes(n)]
    const std::uint32_t* order[2]; ///< R   [n], user index by rank
    const double* sorted[2];       ///< R   [n]
    void** groups;                 ///< W   rank pairs [n_g] of each group, by x rank
    std::size_t n;
    std::size_t n_groups;

    template <class Buffers>
    static SortTask of(Buffers& buffers) {
        SortTask task{};
        task.args = buffers.args();
        task.planes = buffers.template write<SplitPlane>();
        task.scratch = buffers.template scratch<std::byte>();
        for (const std::uint32_t*& order : task.order) {
            order = buffers.template read<std::uint32_t>();
        }
        task.n = buffers.size();
        for (const double*& sorted : task.sorted) {
            sorted = buffers.template read<double>();
        }
        task.groups = buffers.write_rest();
        task.n_groups = task.args.n_slots;
        return task;
    }

    template <class Isa>
    static void cpu(const SortTask& task);
    static void cuda(const SortTask& task);

    [[nodiscard]] RankPair* ranks(std::size_t group) const {
        return buffer_data<RankPair>(groups[group]);
    }
};

struct SortGroupTask {
    static constexpr std::string_view name = "sort_group";
    static constexpr Color color = Color::brown;
    TaskArgs args;
    PointView<2> positions;     ///< W   [n]
    std::uint32_t* permutation; ///< W   [n], tree order to user order
    SplitPlane* planes;         ///< W   [leaves - 1]
    std::uint32_t* offsets;     ///< W   [leaves + 1], first point of each leaf
    std::byte* scratch;         ///< scratch [sort_scratch_bytes(n)]
    const RankPair* ranks;      ///< R   [n], by x rank
    const double* sorted[2];    ///< R   [n_ranks]
    const std::uint32_t* order; ///< R   [n_ranks], user index by x rank
    std::size_t n;
    std::size_t n_ranks; ///< points that were ranked: all of them, or those of the group

    template <class Buffers>
    static SortGroupTask of(Buffers& buffers) {
        SortGroupTask task{};
        task.args = buffers.args();
        task.positions = buffers.template write<PointView<2>>();
        task.permutation = buffers.template write<std::uint32_t>();
        task.n = buffers.size();
        task.planes = buffers.template write<SplitPlane>();
        task.offsets = buffers.template write<std::uint32_t>();
        task.scratch = buffers.template scratch<std::byte>();
        task.ranks = buffers.template read<RankPair>();
        for (const double*& sorted : task.sorted) {
            sorted = buffers.template read<double>();
        }
        task.order = buffers.template read<std::uint32_t>();
        task.n_ranks = buffers.size();
        return task;
    }

    template <class Isa>
    static void cpu(const SortGroupTask& task);
    static void cuda(const SortGroupTask& task);

    /// Sets the first point of a leaf; `leaf` may be one past the last.
    STARFMM_HOST_DEVICE void set_offset(std::size_t leaf) const {
        offsets[leaf] = static_cast<std::uint32_t>(
            pyramid_of<2>(args).begin(args.n_sources, args.tree.last, leaf)
        );
    }

    /// Sets the position and the user index of the point that is the `i`-th of the group in tree
    /// order.
    STARFMM_HOST_DEVICE void set_point(std::size_t i, const RankPair& ranks_of_point) const {
        for (int d = 0; d < 2; ++d) {
            positions.x[d][i] = sorted[d][rank_of(ranks_of_point, d)];
        }
        permutation[i] = order[rank_of(ranks_of_point, 0)];
    }
};

/// A part of the tree of binary splits: a node, and the splits of a task below it.
struct SplitTree {
    std::uint64_t n_total; ///< points of the whole problem, of which all offsets are functions
    int first_depth;       ///< binary splits above the root
    std::uint64_t root;    ///< index among the nodes of that depth
    int depths;            ///< binary splits to make

    /// Returns the first point of `node` after `depth` splits, counted from the root's first.
    STARFMM_HOST_DEVICE std::uint64_t begin(int depth, std::uint64_t node) const {
        return node_begin(n_total, first_depth + depth, (root << depth) + node) - base();
    }

    /// Returns the node that holds the root's `point`-th point, by the inverse of `begin`.
    STARFMM_HOST_DEVICE std::uint64_t node_of(int depth, std::uint64_t point) const {
        const int splits = first_depth + depth;
        const std::uint64_t at = base() + point;
        const double nodes_per_point =
            static_cast<double>(std::uint64_t(1) << splits) / static_cast<double>(n_total);
        auto node = static_cast<std::uint64_t>(static_cast<double>(at + 1) * nodes_per_point);
        // A point is a node's first by an integer comparison, which rounding puts one node off.
        while (node_begin(n_total, splits, node) > at) {
            --node;
        }
        while (node_begin(n_total, splits, node + 1) <= at) {
            ++node;
        }
        return node - (root << depth);
    }

    /// Returns the tree below one of the nodes after `depth` splits.
    STARFMM_HOST_DEVICE SplitTree below(int depth, std::uint64_t node) const {
        return {n_total, first_depth + depth, (root << depth) + node, depths - depth};
    }

private:
    STARFMM_HOST_DEVICE std::uint64_t base() const {
        return node_begin(n_total, first_depth, root);
    }
};

inline SplitTree split_tree(const SortTask& task) {
    return {task.n, 0, 0, 2 * task.args.split_levels};
}

inline SplitTree split_tree(const SortGroupTask& task) {
    const Pyramid<2> tree = pyramid_of<2>(task.args);
    return {task.args.n_sources, 2 * tree.first, tree.root, 2 * (tree.last - tree.first)};
}

} // namespace starfmm
