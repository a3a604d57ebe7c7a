// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of bounds.
#pragma once

#include "codelets/bounds.hpp"
#include "codelets/cuda_check.cuh"

namespace starfmm {

/// Three points a lane for a leaf of 45, and no leaf of thousands takes long.
inline constexpr int bounds_lanes = 16;
inline constexpr int bounds_threads = 256;

/// The largest level that one block covers, one thread a box.
inline constexpr int bounds_top_threads = 1024;

/// Bounds over each group of lanes. Minimum and maximum are exact, so the order does not matter.
template <class Real>
__device__ void reduce_bounds(Bounds<Real>& bounds) {
    for (int offset = bounds_lanes / 2; offset > 0; offset /= 2) {
        for (int d = 0; d < 2; ++d) {
            const Real low = other_lane(bounds.min[d], offset);
            const Real high = other_lane(bounds.max[d], offset);
            bounds.min[d] = low < bounds.min[d] ? low : bounds.min[d];
            bounds.max[d] = high > bounds.max[d] ? high : bounds.max[d];
        }
    }
}

template <class Real>
__global__ void __launch_bounds__(bounds_threads)
    bounds_leaf_kernel(const __grid_constant__ BoundsTask<Real> task) {
    const Subtree<2>& tree = task.args.tree;
    const std::size_t leaf = thread_index() / bounds_lanes;
    const bool active = leaf < tree.leaves();
    const std::size_t first = active ? task.offsets[leaf] : 0;
    const std::size_t n = active ? task.offsets[leaf + 1] - first : 0;
    const int lane = threadIdx.x % bounds_lanes;
    const std::size_t begin = first + n * lane / bounds_lanes;
    const std::size_t end = first + n * (lane + 1) / bounds_lanes;
    Bounds<Real> bounds = point_bounds(task.points, begin, end);
    reduce_bounds(bounds);
    Frame<Real> disc = leaf_disc(bounds, task.points, begin, end);
    if (begin == end && n > 0) {
        disc.radius = Real(0); // other lanes have the points
    }
    for (int offset = bounds_lanes / 2; offset > 0; offset /= 2) {
        const Real radius = other_lane(disc.radius, offset);
        disc.radius = radius > disc.radius ? radius : disc.radius;
    }
    if (active && lane == 0) {
        const std::size_t box = tree.offset(tree.last) + leaf;
        task.box_bounds(box) = bounds;
        task.boxes.set(box, disc);
    }
}

template <class Real>
__device__ void bounds_parent(const BoundsTask<Real>& task, int level, std::size_t box) {
    const Subtree<2>& tree = task.args.tree;
    if (box < tree.boxes(level)) {
        const std::size_t i = tree.offset(level) + box;
        const std::size_t child = tree.offset(level + 1) + n_children<2> * box;
        task.boxes.set(i, parent_disc(task.boxes, &task.box_bounds(0), child, task.box_bounds(i)));
    }
}

template <class Real>
__global__ void __launch_bounds__(bounds_threads)
    bounds_level_kernel(const __grid_constant__ BoundsTask<Real> task, int level) {
    bounds_parent(task, level, thread_index());
}

/// `level` and those above it, which one block covers, in one launch.
template <class Real>
__global__ void __launch_bounds__(bounds_top_threads)
    bounds_top_kernel(const __grid_constant__ BoundsTask<Real> task, int level) {
    for (; level >= task.args.tree.first; --level) {
        bounds_parent(task, level, threadIdx.x);
        __syncthreads();
    }
}

template <class Real>
void bounds_cuda(void* buffers[], void* args) {
    const auto task = BoundsTask<Real>::unpack(buffers, args);
    const Subtree<2>& tree = task.args.tree;
    const unsigned leaf_blocks = n_blocks(tree.leaves(), bounds_threads / bounds_lanes);
    bounds_leaf_kernel<Real><<<leaf_blocks, bounds_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of bounds_leaf_kernel");
    int level = tree.last - 1;
    for (; level >= tree.first && tree.boxes(level) > bounds_top_threads; --level) {
        const unsigned blocks = n_blocks(tree.boxes(level), bounds_threads);
        bounds_level_kernel<Real><<<blocks, bounds_threads, 0, cuda_stream()>>>(task, level);
        check_cuda(cudaGetLastError(), "launch of bounds_level_kernel");
    }
    bounds_top_kernel<Real><<<1, bounds_top_threads, 0, cuda_stream()>>>(task, level);
    check_cuda(cudaGetLastError(), "launch of bounds_top_kernel");
}

} // namespace starfmm
