// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of grow, in one kernel all of whose blocks run at once: each level is counted, then
// filled, then the leaves are counted upward and numbered downward.
//
// Four lanes take a box, each looks for one of its children.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/tree/grow.hpp"

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <algorithm>

namespace starfmm {

inline constexpr int grow_threads = 256;
inline constexpr unsigned grow_boxes = grow_threads / n_children<2>; ///< of a block at a time

/// Boxes `begin` to `end` - 1 of a level that the block takes.
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

/// Child `threadIdx.x % 4` of a box, empty if the box is not split.
__device__ inline GrownBox grown_child(const GrowTask& task, std::uint32_t box, int level) {
    const GrownBox parent = task.scratch[box];
    if (!task.is_split(parent, level)) {
        return {{0, 0}, {0, 0}};
    }
    return task.child(parent, level, threadIdx.x % n_children<2>);
}

using GrowScan = cub::BlockScan<std::uint32_t, grow_threads>;
using GrowReduce = cub::BlockReduce<std::uint32_t, grow_threads>;

struct GrowShared {
    typename GrowScan::TempStorage scan;
    typename GrowReduce::TempStorage reduce;
    std::uint32_t before; ///< children of the blocks before
    std::uint32_t total;  ///< of all blocks
};

/// Adds up what the blocks counted.
__device__ inline void
sum_grown(const GrowTask& task, GrowShared& shared, std::uint32_t n_children_of_thread) {
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

/// Children of the block's boxes behind `n_boxes`, which are those so far.
__device__ inline void fill_grown(
    const GrowTask& task,
    const GrowShare& share,
    GrowShared& shared,
    int level,
    std::uint32_t n_boxes
) {
    const Orthtree<2> tree = task.tree();
    std::uint32_t next = n_boxes + shared.before;
    for (std::uint32_t first = share.begin; first < share.end; first += grow_boxes) {
        const std::uint32_t box = first + threadIdx.x / n_children<2>;
        const bool active = box < share.end;
        const GrownBox child = active ? grown_child(task, box, level) : GrownBox{};
        const bool exists = !child.empty();
        std::uint32_t place = 0;
        std::uint32_t n = 0;
        GrowScan(shared.scan).ExclusiveSum(exists ? 1U : 0U, place, n);
        if (active && threadIdx.x % n_children<2> == 0) {
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

/// Grows all levels. Returns the last one; -1: there is no room.
__device__ inline int
grow_levels(const GrowTask& task, GrowShared& shared, std::uint32_t& n_boxes) {
    const Orthtree<2> tree = task.tree();
    std::uint32_t begin = 0;
    n_boxes = 1;
    for (int level = 0;; ++level) {
        const GrowShare share(begin, n_boxes);
        std::uint32_t n = 0;
        for (std::uint32_t box = share.begin + threadIdx.x / n_children<2>; box < share.end;
             box += grow_boxes) {
            n += grown_child(task, box, level).empty() ? 0 : 1;
        }
        sum_grown(task, shared, n);
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

/// Visits the boxes of a level, one a thread of the grid.
template <class Visit>
__device__ void visit_level(const Orthtree<2>& tree, int level, const Visit& visit) {
    for (std::size_t box = tree.level_begin[level] + thread_index();
         box < tree.level_begin[level + 1];
         box += std::size_t(gridDim.x) * blockDim.x) {
        visit(box);
    }
    cooperative_groups::this_grid().sync();
}

/// Leaves below boxes, level by level upward; then the first leaf of each, downward.
__device__ inline void number_leaves_of_levels(const GrowTask& task, int last_level) {
    const Orthtree<2> tree = task.tree();
    std::uint32_t* n_leaves = task.leaf_counts();
    std::uint32_t* first_leaf = n_leaves + task.capacity;
    for (int level = last_level; level >= 0; --level) {
        visit_level(tree, level, [&](std::size_t box) {
            const BoxRange children = tree.children(box);
            std::uint32_t n = children.begin == children.end ? 1 : 0;
            for (std::size_t child = children.begin; child < children.end; ++child) {
                n += n_leaves[child];
            }
            n_leaves[box] = n;
        });
    }
    if (thread_index() == 0) {
        first_leaf[0] = 0;
    }
    cooperative_groups::this_grid().sync();
    for (int level = 0; level <= last_level; ++level) {
        visit_level(tree, level, [&](std::size_t box) {
            const BoxRange children = tree.children(box);
            std::uint32_t first = first_leaf[box];
            if (children.begin == children.end) {
                task.set_leaf(first, static_cast<std::uint32_t>(box));
            }
            for (std::size_t child = children.begin; child < children.end; ++child) {
                first_leaf[child] = first;
                first += n_leaves[child];
            }
        });
    }
}

template <class Task>
__global__ void __launch_bounds__(grow_threads) grow_kernel(const __grid_constant__ Task task) {
    __shared__ GrowShared shared;
    const Orthtree<2> tree = task.tree();
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
    }
    cooperative_groups::this_grid().sync();
    number_leaves_of_levels(task, last_level);
    if (thread_index() == 0) {
        task.finish(n_boxes, task.leaf_counts()[0], last_level);
    }
}

inline void grow_cuda(const GrowTask& task) {
    const unsigned resident = resident_blocks(grow_kernel<GrowTask>, grow_threads, 0);
    launch_cooperative(
        grow_kernel<GrowTask>,
        "launch of grow_kernel",
        {std::min(resident, most_grow_blocks), grow_threads, 0},
        task
    );
}

} // namespace starfmm
