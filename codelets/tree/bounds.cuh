// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of bounds.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/tree_levels.cuh"
#include "codelets/tree/bounds.hpp"

#include <cstddef>

namespace starfmm {

/// The lanes of a leaf: each has six points of a leaf of 45, and no leaf of thousands takes long.
inline constexpr int bounds_lanes = 8;
inline constexpr int bounds_threads = 512;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr int bounds_resident = 2; ///< blocks of a multiprocessor, of 1024 threads here
#else
inline constexpr int bounds_resident = 3; ///< blocks of a multiprocessor
#endif
inline constexpr unsigned bounds_leaves = bounds_threads / bounds_lanes; ///< leaves of a block

/// The boxes of a level above the leaves that a block takes, one a thread, besides their ancestors.
inline constexpr unsigned bounds_boxes = 256;

/// Returns the largest value of each group of lanes, in all of them. Exact values do not depend on
/// the order.
__device__ inline double max_lanes(double value) {
    for (int offset = bounds_lanes / 2; offset > 0; offset /= 2) {
        const double other = other_lane(value, offset);
        value = other > value ? other : value;
    }
    return value;
}

/// Returns the bounds over each group of lanes.
template <int D>
__device__ Bounds<double, D> reduce_bounds(const Bounds<double, D>& lane) {
    Bounds<double, D> all;
    for (int d = 0; d < D; ++d) {
        all.min[d] = -max_lanes(-lane.min[d]);
    }
    for (int d = 0; d < D; ++d) {
        all.max[d] = max_lanes(lane.max[d]);
    }
    return all;
}

/// The boxes of a block, level after level upwards, in shared memory.
template <int D, unsigned n>
struct BlockBoxes {
    static constexpr unsigned size = n + n / 2; ///< more than n (1 + 1/4 + 1/16 + ...), or 1/8
    double x[D][size];
    double radius[size];
    Bounds<double, D> bounds[size];

    __device__ BoxView<D> view() {
        BoxView<D> boxes;
        for (int d = 0; d < D; ++d) {
            boxes.x[d] = x[d];
        }
        boxes.radius = radius;
        return boxes;
    }

    /// Sets box `i` of the block, which is `box` of the task.
    __device__ void
    set(unsigned i,
        const BoundsTask<D>& task,
        std::size_t box,
        const Bounds<double, D>& box_bounds,
        const Frame<double, D>& disc) {
        view().set(i, disc);
        bounds[i] = box_bounds;
        task.boxes.set(box, disc);
        task.bounds[box] = box_bounds;
    }

    /// Sets the ancestors of the block's boxes of `level`, of which there are `n`.
    __device__ void set_ancestors(const BoundsTask<D>& task, int level) {
        const Pyramid<D> tree = pyramid_of<D>(task.args);
        unsigned children = 0;
        unsigned n_boxes = n;
        while (--level >= tree.first && n_boxes >= n_children<D>) {
            const unsigned boxes = children + n_boxes;
            n_boxes /= n_children<D>;
            const std::size_t box = std::size_t(blockIdx.x) * n_boxes + threadIdx.x;
            __syncthreads();
            if (threadIdx.x < n_boxes && box < tree.boxes(level)) {
                Bounds<double, D> box_bounds;
                const unsigned child = children + n_children<D> * threadIdx.x;
                const Frame<double, D> disc =
                    parent_disc(view(), bounds, {child, child + n_children<D>}, box_bounds);
                set(boxes + threadIdx.x, task, tree.offset(level) + box, box_bounds, disc);
            }
            children = boxes;
        }
    }
};

/// The bounds and the disc that a group of lanes finds of a leaf.
template <int D>
struct LeafBounds {
    Bounds<double, D> bounds;
    Frame<double, D> disc;
};

template <int D>
__device__ LeafBounds<D>
leaf_bounds(const BoundsTask<D>& task, std::size_t begin, std::size_t end) {
    const unsigned lane = threadIdx.x % bounds_lanes;
    const Bounds<double, D> bounds =
        reduce_bounds(point_bounds(task.points, begin + lane, end, bounds_lanes));
    Frame<double, D> disc = enclosing_frame(bounds);
    const double farthest =
        max_lanes(farthest2(disc.centre, task.points, begin + lane, end, bounds_lanes));
    if (begin < end) {
        disc.radius = std::sqrt(farthest);
    }
    return {bounds, disc};
}

/// Finds a leaf by each group of lanes, and the ancestors.
template <int D>
__global__ void __launch_bounds__(bounds_threads, bounds_resident)
    bounds_leaf_kernel(const __grid_constant__ BoundsTask<D> task) {
    __shared__ BlockBoxes<D, bounds_leaves> block;
    const Pyramid<D> tree = pyramid_of<D>(task.args);
    const std::size_t leaf = thread_index() / bounds_lanes;
    const bool active = leaf < tree.leaves();
    const unsigned lane = threadIdx.x % bounds_lanes;
    const std::size_t begin = active ? task.offsets[leaf] : 0;
    const std::size_t end = active ? task.offsets[leaf + 1] : 0;
    const LeafBounds<D> found = leaf_bounds(task, begin, end);
    if (active && lane == 0) {
        const std::size_t box = tree.offset(tree.last) + leaf;
        block.set(threadIdx.x / bounds_lanes, task, box, found.bounds, found.disc);
    }
    block.set_ancestors(task, tree.last);
}

/// Finds the boxes of a level whose children are done, one a thread, and their ancestors.
template <int D>
__global__ void __launch_bounds__(bounds_boxes)
    bounds_box_kernel(const __grid_constant__ BoundsTask<D> task, int level) {
    __shared__ BlockBoxes<D, bounds_boxes> block;
    const Pyramid<D> tree = pyramid_of<D>(task.args);
    const std::size_t box = thread_index();
    if (box < tree.boxes(level)) {
        Bounds<double, D> bounds;
        const std::size_t child = tree.offset(level + 1) + n_children<D> * box;
        const Frame<double, D> disc =
            parent_disc(task.boxes, task.bounds, {child, child + n_children<D>}, bounds);
        block.set(threadIdx.x, task, tree.offset(level) + box, bounds, disc);
    }
    block.set_ancestors(task, level);
}

/// Returns the levels that a block covers from `n` boxes of one level up to one box.
template <int D>
constexpr int levels_up(unsigned n) {
    return n == 0 ? 0 : 1 + levels_up<D>(n / n_children<D>);
}

/// Does what copy_orthtree() does, by any number of threads.
template <int D>
__global__ void orthtree_copy_kernel(const __grid_constant__ BoundsTask<D> task) {
    const auto from = Orthtree<D>::of(task.nodes, task.nodes_capacity);
    const Orthtree<D> to = task.boxes.orthtree();
    const std::size_t n = from.total_boxes();
    const std::size_t i = thread_index();
    if (i == 0) {
        *to.size = *from.size;
        *to.shared = task.args.shared[0];
    }
    if (i < static_cast<std::size_t>(from.last_level()) + 2) {
        to.level_begin[i] = from.level_begin[i];
    }
    if (i <= n) {
        to.child_begin[i] = from.child_begin[i];
    }
    if (i < n) {
        to.parents[i] = from.parents[i];
    }
    if (i < from.leaves()) {
        to.leaf_boxes[i] = from.leaf_boxes[i];
    }
    if (i <= from.leaves()) {
        to.leaf_begin[i] = task.offsets[i];
    }
}

/// Finds a leaf of an orthtree by each group of lanes.
template <int D>
__global__ void __launch_bounds__(bounds_threads)
    orthtree_leaf_kernel(const __grid_constant__ BoundsTask<D> task) {
    const std::size_t leaf = thread_index() / bounds_lanes;
    const bool active = leaf < n_leaves_of<D>(task.args);
    const std::size_t begin = active ? task.offsets[leaf] : 0;
    const std::size_t end = active ? task.offsets[leaf + 1] : 0;
    const LeafBounds<D> found = leaf_bounds(task, begin, end);
    if (active && threadIdx.x % bounds_lanes == 0) {
        const std::size_t box = task.boxes.orthtree().leaf_box(leaf);
        task.bounds[box] = found.bounds;
        task.boxes.set(box, found.disc);
    }
}

/// Finds a cell a thread.
template <int D>
__global__ void __launch_bounds__(bounds_threads)
    cell_leaf_kernel(const __grid_constant__ BoundsTask<D> task) {
    const std::size_t leaf = thread_index();
    if (leaf < n_leaves_of<D>(task.args)) {
        const std::size_t box = task.boxes.orthtree().leaf_box(leaf);
        task.boxes.set(box, task.leaf_cell(box, task.offsets[leaf], task.offsets[leaf + 1]));
    }
}

template <int D>
void launch_orthtree_leaves(const BoundsTask<D>& task) {
    const std::size_t leaves = n_leaves_of<D>(task.args);
    if (task.domain != nullptr) {
        const unsigned blocks = n_blocks(leaves, bounds_threads);
        cell_leaf_kernel<<<blocks, bounds_threads, 0, cuda_stream()>>>(task);
        check_cuda(cudaGetLastError(), "launch of cell_leaf_kernel");
        return;
    }
    const unsigned blocks = n_blocks(leaves, bounds_leaves);
    orthtree_leaf_kernel<<<blocks, bounds_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of orthtree_leaf_kernel");
}

/// The threads of a block, whose box has sixteen boxes two levels below it in the plane.
inline constexpr int orthtree_bounds_threads = 32;

/// Finds the boxes of an orthtree that have children, from `level` on, `levels` levels.
template <int D>
__global__ void __launch_bounds__(orthtree_bounds_threads)
    orthtree_levels_kernel(const __grid_constant__ BoundsTask<D> task, int level, int levels) {
    const TaskTree<D> tree = task.boxes.tree(task.args);
    visit_levels<false>(tree, level, levels, [&](const BoxRange& range) {
        for (std::size_t box = range.begin + threadIdx.x; box < range.end; box += blockDim.x) {
            const BoxRange children = tree.children(box);
            if (children.begin < children.end) {
                set_parent(task, box, children);
            }
        }
    });
}

template <int D>
void orthtree_bounds_cuda(const BoundsTask<D>& task) {
    const unsigned blocks = n_blocks(n_boxes_of<D>(task.args) + 64, bounds_boxes);
    orthtree_copy_kernel<<<blocks, bounds_boxes, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of orthtree_copy_kernel");
    launch_orthtree_leaves(task);
    launch_upward(task.args, [&](int level, int levels) {
        orthtree_levels_kernel<<<
            level_blocks<D>(task.args, level),
            orthtree_bounds_threads,
            0,
            cuda_stream()>>>(task, level, levels);
        check_cuda(cudaGetLastError(), "launch of orthtree_levels_kernel");
    });
}

inline void pyramid_bounds_cuda(const BoundsTask<2>& task) {
    const Pyramid<2> tree = pyramid_of<2>(task.args);
    const unsigned leaf_blocks = n_blocks(tree.leaves(), bounds_leaves);
    bounds_leaf_kernel<<<leaf_blocks, bounds_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of bounds_leaf_kernel");
    for (int level = tree.last - levels_up<2>(bounds_leaves); level >= tree.first;
         level -= levels_up<2>(bounds_boxes)) {
        const unsigned blocks = n_blocks(tree.boxes(level), bounds_boxes);
        bounds_box_kernel<<<blocks, bounds_boxes, 0, cuda_stream()>>>(task, level);
        check_cuda(cudaGetLastError(), "launch of bounds_box_kernel");
    }
}

template <int D>
void BoundsTask<D>::cuda(const BoundsTask& task) {
    if constexpr (D == 2) {
        if (task.nodes == nullptr) {
            return pyramid_bounds_cuda(task);
        }
    }
    orthtree_bounds_cuda(task);
}

} // namespace starfmm
