// SPDX-License-Identifier: BSD-3-Clause
// M2M and L2L of any kernel: a box a thread, and a launch a level.
#pragma once

#include "codelets/cuda/tree_levels.cuh"

#include <algorithm>

namespace starfmm {

inline constexpr int thread_shift_threads = 128;

/// Shifts into a box a thread.
/// \tparam Shift Task; is_downward; shift_into(task, n, tree, box): all that shifts into one box of
/// a level
template <class Shift>
__global__ void __launch_bounds__(thread_shift_threads)
    thread_shift_kernel(const __grid_constant__ typename Shift::Task task, int n, int level) {
    const auto tree = task.boxes.tree(task.args);
    const std::size_t end = tree.offset(level + 1);
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t box = tree.offset(level) + thread_index(); box < end; box += step) {
        Shift::shift_into(task, n, tree, box);
    }
}

template <class Shift>
void thread_shift(const typename Shift::Task& task, int n) {
    const unsigned blocks = std::min(
        n_blocks(n_boxes_of<Shift::Task::D>(task.args), thread_shift_threads),
        16 * n_multiprocessors()
    );
    const auto launch = [&](int level, int /*levels*/) {
        thread_shift_kernel<Shift><<<blocks, thread_shift_threads, 0, cuda_stream()>>>(
            task, n, Shift::is_downward ? level + 1 : level
        );
        check_cuda(cudaGetLastError(), "launch of thread_shift_kernel");
    };
    launch_levels<Shift::is_downward>(task.args, launch, 1);
}

} // namespace starfmm
