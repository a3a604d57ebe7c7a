// SPDX-License-Identifier: BSD-3-Clause
// Into how many tasks work is cut: groups of the tree, and chunks of the user's arrays.
#pragma once

#include <cstddef>

namespace starfmm {

/// Number of groups, a power of four, in space of eight, at most 64. Without a GPU: several a
/// worker, each large enough that its tasks are worth at least 100 microseconds, and in the plane
/// small enough that what its operators hand to each other stays in a core's share of the cache
/// (in space one group takes one core up to 8 % less time than 64 do). One GPU: one
/// group, since its kernels fill it; several: several a GPU, if points are many. More where a group
/// and its neighbours would not fit a GPU. \param n_points sources; \param levels finest level;
/// \param n_cpu, n_cuda workers
/// \param gpu_memory bytes that a task's data may take of a GPU; 0: any number
[[nodiscard]] int default_groups(
    std::size_t n_points,
    int levels,
    int n_cpu,
    int n_cuda,
    std::size_t gpu_memory = 0,
    int dimension = 2
);

/// Number of groups of an octree, which are runs of cells: any, at most 64. As above, but one a
/// GPU, if points are many.
/// \param list_words of the whole tree; those of a group fit an array
[[nodiscard]] int default_runs(
    std::size_t n_points, std::size_t list_words, int n_cpu, int n_cuda, std::size_t gpu_memory = 0
);

/// The level that has this number of boxes.
[[nodiscard]] int level_of_groups(int dimension, int groups);

/// Number of chunks of the user's arrays, at most 64, which are split to groups side by side: one a
/// GPU, so that none has to sort all of many points, and so many that a chunk fits a GPU; without
/// GPUs one a core, where there are several. One if points are few.
/// \param n_points, n_cpu, n_cuda, gpu_memory as above
[[nodiscard]] int
default_chunks(std::size_t n_points, int n_cpu, int n_cuda, std::size_t gpu_memory);

} // namespace starfmm
