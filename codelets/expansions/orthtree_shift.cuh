// SPDX-License-Identifier: BSD-3-Clause
// M2M and L2L of any kernel on an orthtree: a launch a level, whose boxes only the device knows.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/task/task_views.hpp"

#include <algorithm>

namespace starfmm {

inline constexpr int orthtree_shift_threads = 128;

/// Shifts into a box a thread.
/// \tparam Shift Task; shift_into(task, n, tree, box): all that shifts into one box of a level
template <class Shift>
__global__ void __launch_bounds__(orthtree_shift_threads)
    orthtree_shift_kernel(const __grid_constant__ typename Shift::Task task, int n, int level) {
    const auto tree = task.boxes.tree(task.args);
    const std::size_t end = tree.offset(level + 1);
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t box = tree.offset(level) + thread_index(); box < end; box += step) {
        Shift::shift_into(task, n, tree, box);
    }
}

template <class Shift>
void launch_orthtree_shift(const typename Shift::Task& task, int n, int level) {
    const unsigned blocks = std::min(
        n_blocks(n_boxes_of<Shift::Task::D>(task.args), orthtree_shift_threads),
        16 * n_multiprocessors()
    );
    orthtree_shift_kernel<Shift>
        <<<blocks, orthtree_shift_threads, 0, cuda_stream()>>>(task, n, level);
    check_cuda(cudaGetLastError(), "launch of orthtree_shift_kernel");
}

} // namespace starfmm
