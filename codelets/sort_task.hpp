// SPDX-License-Identifier: BSD-3-Clause
// Sort: what its tasks read and write, the same for CPU and CUDA bodies.
#pragma once

#include "codelets/task_views.hpp"
#include "core/pyramid.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Ranks of a point among all points, by x and by y.
using RankPair = std::uint64_t;

STARFMM_HOST_DEVICE constexpr RankPair make_rank_pair(std::uint32_t x_rank, std::uint32_t y_rank) {
    return RankPair(y_rank) << 32 | x_rank;
}

template <int D>
STARFMM_HOST_DEVICE constexpr std::uint32_t rank_of(RankPair pair) {
    return static_cast<std::uint32_t>(pair >> (32 * D));
}

/// Bytes of scratch that `rank` needs a point, on any worker.
inline constexpr std::size_t rank_scratch_bytes = 32;

template <class Real>
struct RankTask {
    std::uint32_t* rank;  ///< W   [n], by user index
    Real* sorted;         ///< W   [n], coordinate by rank
    std::uint32_t* order; ///< W   [n], user index by rank
    std::byte* scratch;   ///< scratch [rank_scratch_bytes * n]
    const double* x;      ///< R   [n], user order
    std::size_t n;

    static RankTask unpack(void* buffers[], void* /*args*/) {
        return {
            buffer_data<std::uint32_t>(buffers[0]),
            buffer_data<Real>(buffers[1]),
            buffer_data<std::uint32_t>(buffers[2]),
            buffer_data<std::byte>(buffers[3]),
            buffer_data<const double>(buffers[4]),
            buffer_size(buffers[4])};
    }
};

template <class Real>
struct SortTask {
    TaskArgs args;
    SplitPlane<Real>* planes;     ///< W   [2^(2 split_levels) - 1]
    const std::uint32_t* rank[2]; ///< R   [n]
    const Real* sorted[2];        ///< R   [n]
    void** groups;                ///< W   rank pairs [n_g] of each group, by x rank
    std::size_t n;
    std::size_t n_groups;

    static SortTask unpack(void* buffers[], void* args) {
        const auto& task_args = *static_cast<TaskArgs*>(args);
        return {
            task_args,
            buffer_data<SplitPlane<Real>>(buffers[0]),
            {buffer_data<const std::uint32_t>(buffers[1]),
             buffer_data<const std::uint32_t>(buffers[2])},
            {buffer_data<const Real>(buffers[3]), buffer_data<const Real>(buffers[4])},
            buffers + 5,
            buffer_size(buffers[1]),
            task_args.n_slots};
    }

    [[nodiscard]] RankPair* pairs(std::size_t group) const {
        return buffer_data<RankPair>(groups[group]);
    }
};

template <class Real>
struct SortGroupTask {
    TaskArgs args;
    PointView<Real> positions;  ///< W   [n]
    std::uint32_t* permutation; ///< W   [n], tree order to user order
    SplitPlane<Real>* planes;   ///< W   [leaves - 1]
    const RankPair* pairs;      ///< R   [n], by x rank
    const Real* sorted[2];      ///< R   [N]
    const std::uint32_t* order; ///< R   [N], user index by x rank
    std::size_t n;

    static SortGroupTask unpack(void* buffers[], void* args) {
        return {
            *static_cast<TaskArgs*>(args),
            PointView<Real>::of(buffers[0]),
            buffer_data<std::uint32_t>(buffers[1]),
            buffer_data<SplitPlane<Real>>(buffers[2]),
            buffer_data<const RankPair>(buffers[3]),
            {buffer_data<const Real>(buffers[4]), buffer_data<const Real>(buffers[5])},
            buffer_data<const std::uint32_t>(buffers[6]),
            buffer_size(buffers[1])};
    }

    /// Position and user index of the point that is the `i`-th of the group in tree order.
    STARFMM_HOST_DEVICE void set_point(std::size_t i, RankPair pair) const {
        const std::uint32_t x_rank = rank_of<0>(pair);
        positions.x[i] = sorted[0][x_rank];
        positions.y[i] = sorted[1][rank_of<1>(pair)];
        permutation[i] = order[x_rank];
    }
};

/// Part of the tree of binary splits: a node, and the splits of a task below it.
struct SplitTree {
    std::uint64_t n_total; ///< points of the whole problem, of which all offsets are functions
    int first_depth;       ///< binary splits above the root
    std::uint64_t root;    ///< index among the nodes of that depth
    int depths;            ///< binary splits to make

    /// First point of `node` after `depth` splits, counted from the root's first.
    STARFMM_HOST_DEVICE std::uint64_t begin(int depth, std::uint64_t node) const {
        return node_begin(n_total, first_depth + depth, (root << depth) + node) -
               node_begin(n_total, first_depth, root);
    }
};

template <class Real>
SplitTree split_tree(const SortTask<Real>& task) {
    return {task.n, 0, 0, 2 * task.args.split_levels};
}

template <class Real>
SplitTree split_tree(const SortGroupTask<Real>& task) {
    const Subtree<2>& tree = task.args.tree;
    return {task.args.n_sources, 2 * tree.first, tree.root, 2 * (tree.last - tree.first)};
}

} // namespace starfmm
