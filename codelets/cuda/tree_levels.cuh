// SPDX-License-Identifier: BSD-3-Clause
// Work on a tree level by level, several levels a launch: the boxes that each block takes.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/task/task_views.hpp"

#include <algorithm>

namespace starfmm {

/// The number of levels that one block takes: a box and all below it.
inline constexpr int levels_at_once = 3;

/// Returns the boxes `levels` levels below a box, which are neighbours, as those of each level are.
template <int D>
__device__ BoxRange boxes_below(const TaskTree<D>& tree, std::size_t box, int levels) {
    BoxRange range{box, box + 1};
    for (; levels > 0 && range.begin < range.end; --levels) {
        range = {tree.children(range.begin).begin, tree.children(range.end - 1).end};
    }
    return range;
}

/// Calls visit(range) for levels below each box of `level` that is the block's: downward for the
/// next `levels` levels; upward for as many levels from `level` on, the finest first.
template <bool is_downward, int D, class Visit>
__device__ void visit_levels(const TaskTree<D>& tree, int level, int levels, const Visit& visit) {
    const std::size_t end = tree.offset(level + 1);
    for (std::size_t box = tree.offset(level) + blockIdx.x; box < end; box += gridDim.x) {
        for (int step = 1; step <= levels; ++step) {
            visit(boxes_below(tree, box, is_downward ? step : levels - step));
            __syncthreads();
        }
    }
}

/// Returns the number of blocks: one for each box of `level`, and for an orthtree, whose boxes only
/// the device knows, enough.
template <int D = 2>
unsigned level_blocks(const TaskArgs& args, int level) {
    if (!args.has_orthtree()) {
        return static_cast<unsigned>(pyramid_of<D>(args).boxes(level));
    }
    const std::size_t most = std::size_t(16) * n_multiprocessors();
    return static_cast<unsigned>(std::min({n_boxes<D>(level), n_boxes_of<D>(args), most}));
}

/// The levels of a task's tree.
struct LevelRange {
    int first;
    int last;

    explicit LevelRange(const TaskArgs& args)
        : first(args.has_orthtree() ? 0 : args.tree.first),
          last(args.has_orthtree() ? static_cast<int>(args.orthtree.last_level) : args.tree.last) {}
};

/// Calls launch(level, number of levels below it), the finest levels first.
template <class Launch>
void launch_upward(const TaskArgs& args, const Launch& launch, int at_once = levels_at_once) {
    const LevelRange range(args);
    for (int last = range.last; last > range.first;) {
        const int level = std::max(range.first, last - at_once);
        launch(level, last - level);
        last = level;
    }
}

/// Calls launch(level, number of levels below it), the coarsest levels first, so that the first
/// launch takes what is left.
template <class Launch>
void launch_downward(const TaskArgs& args, const Launch& launch, int at_once = levels_at_once) {
    const LevelRange range(args);
    int levels = (range.last - range.first - 1) % at_once + 1;
    for (int level = range.first; level < range.last; level += levels, levels = at_once) {
        launch(level, levels);
    }
}

/// Calls launch(level, number of levels below it) downward or upward.
template <bool is_downward, class Launch>
void launch_levels(const TaskArgs& args, const Launch& launch, int at_once = levels_at_once) {
    if constexpr (is_downward) {
        launch_downward(args, launch, at_once);
    } else {
        launch_upward(args, launch, at_once);
    }
}

} // namespace starfmm
