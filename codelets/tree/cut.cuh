// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of cut.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/cut.hpp"

#include <cstddef>

namespace starfmm {

/// The threads of a block, of which any number does.
inline constexpr int cut_threads = 256;

/// Copies the points: a row of blocks has a group, whose points its threads take.
inline __global__ void __launch_bounds__(cut_threads) cut_points_kernel(
    const __grid_constant__ WholePyramid whole, const __grid_constant__ GroupArrays groups
) {
    const std::size_t group = blockIdx.y;
    const std::size_t i = thread_index();
    if (i < whole.begin(group + 1) - whole.begin(group)) {
        whole.copy_point(groups, group, i);
    }
}

/// Copies the boxes of a level: a row of blocks has a group, whose boxes its threads take.
inline __global__ void __launch_bounds__(cut_threads) cut_boxes_kernel(
    const __grid_constant__ WholePyramid whole,
    const __grid_constant__ GroupArrays groups,
    int level
) {
    const std::size_t i = thread_index();
    if (i < whole.of_group(blockIdx.y).boxes(level)) {
        whole.copy_box(groups, blockIdx.y, level, i);
    }
}

inline void CutTask::cuda(const CutTask& task) {
    const WholePyramid& whole = task.whole;
    const auto n_groups = static_cast<unsigned>(task.n_groups);
    const std::size_t most_points = whole.n_points / task.n_groups + 1;
    const dim3 of_points(n_blocks(most_points, cut_threads), n_groups);
    cut_points_kernel<<<of_points, cut_threads, 0, cuda_stream()>>>(whole, task.groups);
    check_cuda(cudaGetLastError(), "launch of cut_points_kernel");
    for (int level = whole.group_level; level <= whole.tree.last; ++level) {
        const dim3 of_boxes(n_blocks(whole.of_group(0).boxes(level), cut_threads), n_groups);
        cut_boxes_kernel<<<of_boxes, cut_threads, 0, cuda_stream()>>>(whole, task.groups, level);
        check_cuda(cudaGetLastError(), "launch of cut_boxes_kernel");
    }
}

} // namespace starfmm
