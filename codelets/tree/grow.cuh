// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of grow, in one kernel all of whose blocks run at once: each level is counted, then
// filled, then the leaves are counted upward and numbered downward.
//
// A warp takes a box, and an equal share of its lanes looks for each of the children.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/cuda/tree_levels.cuh"
#include "codelets/tree/grow.hpp"

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <algorithm>

namespace starfmm {

inline constexpr int grow_threads = 256;
template <int D>
inline constexpr unsigned grow_boxes = grow_threads / n_children<D>; ///< boxes of a block at a time

/// The boxes `begin` to `end` - 1 of a level that the block takes.
struct GrowShare {
    std::uint32_t begin;
    std::uint32_t end;

    __device__ GrowShare(std::uint32_t first, std::uint32_t last)
        : begin(first + part(last - first, blockIdx.x)),
          end(first + part(last - first, blockIdx.x + 1)) {}

private:
    __device__ static std::uint32_t part(std::uint32_t n, std::uint32_t block) {
        return static_cast<std::uint32_t>(std::uint64_t(n) * block / gridDim.x);
    }
};

/// The lanes that look for a child together.
template <int D>
inline constexpr unsigned search_lanes = warp_lanes / n_children<D>;

/// Does what CurveCodes::lower_bound does, for each group of lanes with a place of its own: a round
/// divides the range by their number.
template <int D>
__device__ std::uint32_t lower_bound_of_lanes(
    const DeepCode* codes, std::uint32_t begin, std::uint32_t end, DeepCode place
) {
    constexpr unsigned n_lanes = search_lanes<D>;
    const unsigned lane = threadIdx.x % warp_lanes;
    const unsigned group = lane / n_lanes * n_lanes;
    while (__any_sync(0xffffffffU, begin < end)) {
        const auto probe = [&](unsigned i) {
            return begin + static_cast<std::uint32_t>(std::uint64_t(end - begin) * i / n_lanes);
        };
        const bool is_before = begin < end && codes[probe(lane - group)] < place;
        const unsigned mask = __ballot_sync(0xffffffffU, is_before) >> group;
        const unsigned n = __popc(mask & ((1U << n_lanes) - 1));
        const std::uint32_t first = n == 0 ? begin : probe(n - 1) + 1;
        end = n == n_lanes || begin == end ? end : probe(n);
        begin = first;
    }
    return begin;
}

/// Returns child `lane / search_lanes` of a box that is split, as task.child() finds it.
template <int D>
__device__ GrownBox grown_child(const GrowTask<D>& task, const GrownBox& parent, int level) {
    const unsigned c = threadIdx.x % warp_lanes / search_lanes<D>;
    const int bits = bits_below<D>(task.root_level + level + 1);
    const DeepCode first = ((task.place(parent) >> (bits + D)) * n_children<D> + c) << bits;
    GrownBox child{};
    for (int set = 0; set < 2; ++set) {
        const std::uint32_t begin = parent.begin[set];
        const std::uint32_t end = parent.end[set];
        const DeepCode* codes = task.sets[set].codes;
        child.begin[set] = lower_bound_of_lanes<D>(codes, begin, c == 0 ? begin : end, first);
        const std::uint32_t next = __shfl_down_sync(0xffffffffU, child.begin[set], search_lanes<D>);
        child.end[set] = c == n_children<D> - 1 ? end : next;
    }
    return child;
}

using GrowScan = cub::BlockScan<std::uint32_t, grow_threads>;
using GrowReduce = cub::BlockReduce<std::uint32_t, grow_threads>;

template <int D>
struct GrowShared {
    typename GrowScan::TempStorage scan;
    typename GrowReduce::TempStorage reduce;
    std::uint32_t before;                            ///< children of the blocks before
    std::uint32_t total;                             ///< children of all blocks
    GrownBox children[grow_boxes<D>][n_children<D>]; ///< empty, if a box is not split

    /// Finds the children of boxes `first`, ... below `end`, as many as there is room for.
    __device__ void
    find(const GrowTask<D>& task, std::uint32_t first, std::uint32_t end, int level) {
        const unsigned lane = threadIdx.x % warp_lanes;
        __syncthreads();
        for (unsigned i = threadIdx.x / warp_lanes; i < grow_boxes<D> && first + i < end;
             i += grow_threads / warp_lanes) {
            const GrownBox box = task.scratch[first + i];
            GrownBox child{};
            if (task.is_split(box, level)) {
                child = grown_child(task, box, level);
            }
            if (lane % search_lanes<D> == 0) {
                children[i][lane / search_lanes<D>] = child;
            }
        }
        __syncthreads();
    }

    /// Returns the thread's child among those that were found.
    [[nodiscard]] __device__ GrownBox found(std::uint32_t first, std::uint32_t end) const {
        const unsigned i = threadIdx.x / n_children<D>;
        return first + i < end ? children[i][threadIdx.x % n_children<D>] : GrownBox{};
    }
};

/// Adds up what the blocks counted.
template <int D>
__device__ void
sum_grown(const GrowTask<D>& task, GrowShared<D>& shared, std::uint32_t n_children_of_thread) {
    const std::uint32_t own = GrowReduce(shared.reduce).Sum(n_children_of_thread);
    if (threadIdx.x == 0) {
        task.sums()[blockIdx.x] = own;
    }
    cooperative_groups::this_grid().sync();
    std::uint32_t before = 0;
    std::uint32_t total = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += grow_threads) {
        before += block < blockIdx.x ? task.sums()[block] : 0;
        total += task.sums()[block];
    }
    __syncthreads();
    before = GrowReduce(shared.reduce).Sum(before);
    __syncthreads();
    total = GrowReduce(shared.reduce).Sum(total);
    if (threadIdx.x == 0) {
        shared.before = before;
        shared.total = total;
    }
    __syncthreads();
}

/// Counts the children of the block's boxes, a part a thread.
template <int D>
__device__ std::uint32_t
count_grown(const GrowTask<D>& task, const GrowShare& share, GrowShared<D>& shared, int level) {
    std::uint32_t n = 0;
    for (std::uint32_t first = share.begin; first < share.end; first += grow_boxes<D>) {
        shared.find(task, first, share.end, level);
        n += shared.found(first, share.end).empty() ? 0 : 1;
    }
    return n;
}

/// Puts the children of the block's boxes behind `n_boxes`, which is the number of boxes so far.
template <int D>
__device__ void fill_grown(
    const GrowTask<D>& task,
    const GrowShare& share,
    GrowShared<D>& shared,
    int level,
    std::uint32_t n_boxes
) {
    const Orthtree<D> tree = task.tree();
    std::uint32_t next = n_boxes + shared.before;
    for (std::uint32_t first = share.begin; first < share.end; first += grow_boxes<D>) {
        if (share.end - share.begin > grow_boxes<D>) { // else they are still there
            shared.find(task, first, share.end, level);
        }
        const std::uint32_t box = first + threadIdx.x / n_children<D>;
        const GrownBox child = shared.found(first, share.end);
        const bool exists = !child.empty();
        std::uint32_t place = 0;
        std::uint32_t n = 0;
        GrowScan(shared.scan).ExclusiveSum(exists ? 1U : 0U, place, n);
        if (box < share.end && threadIdx.x % n_children<D> == 0) {
            tree.child_begin[box] = next + place;
        }
        if (exists) {
            task.scratch[next + place] = child;
            tree.parents[next + place] = box;
        }
        next += n;
        __syncthreads();
    }
}

/// Grows all levels. \returns the last one; -1: there is no room
template <int D>
__device__ int grow_levels(const GrowTask<D>& task, GrowShared<D>& shared, std::uint32_t& n_boxes) {
    const Orthtree<D> tree = task.tree();
    std::uint32_t begin = 0;
    n_boxes = 1;
    for (int level = 0;; ++level) {
        const GrowShare share(begin, n_boxes);
        sum_grown(task, shared, count_grown(task, share, shared, level));
        const std::uint32_t total = shared.total;
        if (std::uint64_t(n_boxes) + total > task.capacity) {
            return -1;
        }
        fill_grown(task, share, shared, level, n_boxes);
        if (thread_index() == 0) {
            tree.level_begin[level + 1] = n_boxes;
        }
        cooperative_groups::this_grid().sync();
        if (total == 0) {
            return level;
        }
        begin = n_boxes;
        n_boxes += total;
    }
}

/// Counts the leaves below each box, upward.
template <int D>
__device__ void count_leaves(const GrowTask<D>& task, const TaskTree<D>& tree, int last_level) {
    std::uint32_t* n_leaves = task.leaf_counts();
    for (int end = last_level + 1; end > 0; end -= levels_at_once) {
        const int level = max(0, end - levels_at_once);
        visit_levels<false>(tree, level, end - level, [&](const BoxRange& range) {
            for (std::size_t box = range.begin + threadIdx.x; box < range.end; box += blockDim.x) {
                const BoxRange children = tree.children(box);
                std::uint32_t n = children.begin == children.end ? 1 : 0;
                for (std::size_t child = children.begin; child < children.end; ++child) {
                    n += n_leaves[child];
                }
                n_leaves[box] = n;
            }
        });
        cooperative_groups::this_grid().sync();
    }
}

/// Finds the first leaf of each box, downward.
template <int D>
__device__ void number_leaves(const GrowTask<D>& task, const TaskTree<D>& tree, int last_level) {
    const std::uint32_t* n_leaves = task.leaf_counts();
    std::uint32_t* first_leaf = task.leaf_counts() + task.capacity;
    for (int level = 0; level < last_level; level += levels_at_once) {
        const int levels = min(levels_at_once, last_level - level);
        visit_levels<true>(tree, level, levels, [&](const BoxRange& range) {
            for (std::size_t box = range.begin + threadIdx.x; box < range.end; box += blockDim.x) {
                const std::size_t parent = tree.parent(box);
                std::uint32_t first = first_leaf[parent];
                for (std::size_t child = tree.children(parent).begin; child < box; ++child) {
                    first += n_leaves[child];
                }
                first_leaf[box] = first;
                const BoxRange children = tree.children(box);
                if (children.begin == children.end) {
                    task.set_leaf(first, static_cast<std::uint32_t>(box));
                }
            }
        });
        cooperative_groups::this_grid().sync();
    }
}

template <int D>
__global__ void __launch_bounds__(grow_threads)
    grow_kernel(const __grid_constant__ GrowTask<D> task) {
    __shared__ GrowShared<D> shared;
    const Orthtree<D> tree = task.tree();
    if (thread_index() == 0) {
        task.set_root();
    }
    cooperative_groups::this_grid().sync();
    std::uint32_t n_boxes = 0;
    const int last_level = grow_levels(task, shared, n_boxes);
    if (last_level < 0) {
        if (thread_index() == 0) {
            *task.size = {0, 0, 0, 1};
        }
        return;
    }
    if (thread_index() == 0) {
        tree.child_begin[n_boxes] = n_boxes;
        task.leaf_counts()[task.capacity] = 0; // the root's first leaf
        if (last_level == 0) {
            task.set_leaf(0, 0);
        }
    }
    cooperative_groups::this_grid().sync();
    count_leaves(task, TaskTree<D>(tree), last_level);
    number_leaves(task, TaskTree<D>(tree), last_level);
    if (thread_index() == 0) {
        task.finish(n_boxes, task.leaf_counts()[0], last_level);
    }
}

template <int D>
void GrowTask<D>::cuda(const GrowTask& task) {
    const unsigned resident = resident_blocks(grow_kernel<D>, grow_threads, 0);
    launch_cooperative(
        grow_kernel<D>,
        "launch of grow_kernel",
        {std::min(resident, most_grow_blocks), grow_threads, 0},
        task
    );
}

} // namespace starfmm
