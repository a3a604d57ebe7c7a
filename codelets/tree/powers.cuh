// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of powers.
#pragma once

#include "codelets/cuda/index_kernel.cuh"
#include "codelets/cuda/tree_levels.cuh"
#include "codelets/tree/powers.hpp"

#include <cstddef>

namespace starfmm {

/// The lanes of a leaf: its bodies' values lie anywhere in the user's arrays, so that many are on
/// their way.
inline constexpr unsigned powers_lanes = 8;
inline constexpr unsigned powers_threads = 256;
/// Threads of a block: those of one box's children and theirs.
inline constexpr unsigned powers_level_threads = 32;

/// Returns the sums over each group of lanes, in all of them.
__device__ inline PowerSums sum_of_lanes(PowerSums lane) {
    for (int offset = powers_lanes / 2; offset > 0; offset /= 2) {
        lane.add(
            {other_lane(lane.mass, offset),
             other_lane(lane.power, offset),
             other_lane(lane.extent, offset),
             other_lane(lane.field, offset),
             other_lane(lane.length, offset)}
        );
    }
    return lane;
}

template <int D>
__global__ void __launch_bounds__(powers_threads)
    powers_leaf_kernel(const __grid_constant__ PowersTask<D> task) {
    const std::size_t leaf = thread_index() / powers_lanes;
    const unsigned lane = threadIdx.x % powers_lanes;
    const bool active = leaf < n_leaves_of<D>(task.args);
    const PowerSums sums =
        sum_of_lanes(active ? task.bodies(leaf, lane, powers_lanes) : PowerSums());
    if (active && lane == 0) {
        task.set_leaf(leaf, sums);
    }
}

/// Finds the powers of boxes with children from `level` on, `levels` levels.
template <int D>
__global__ void __launch_bounds__(powers_level_threads)
    powers_levels_kernel(const __grid_constant__ PowersTask<D> task, int level, int levels) {
    const TaskTree<D> tree(task.boxes.orthtree());
    visit_levels<false>(tree, level, levels, [&](const BoxRange& range) {
        for (std::size_t box = range.begin + threadIdx.x; box < range.end; box += blockDim.x) {
            const BoxRange children = tree.children(box);
            if (children.begin < children.end) {
                task.set_parent(box, children);
            }
        }
    });
}

template <int D>
__device__ void set_own_reach(const PowersTask<D>& task, std::size_t box) {
    task.set_reach(box);
}

template <int D>
void PowersTask<D>::cuda(const PowersTask& task) {
    const unsigned leaf_blocks = n_blocks(n_leaves_of<D>(task.args), powers_threads / powers_lanes);
    powers_leaf_kernel<<<leaf_blocks, powers_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of powers_leaf_kernel");
    launch_upward(task.args, [&](int level, int levels) {
        powers_levels_kernel<<<
            level_blocks<D>(task.args, level),
            powers_level_threads,
            0,
            cuda_stream()>>>(task, level, levels);
        check_cuda(cudaGetLastError(), "launch of powers_levels_kernel");
    });
    launch_for_each<set_own_reach<D>>(n_boxes_of<D>(task.args), task);
}

} // namespace starfmm
