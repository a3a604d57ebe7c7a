// SPDX-License-Identifier: BSD-3-Clause
// Grouping decides into how many tasks work is cut: groups of the tree, and chunks of the user's
// arrays.
#pragma once

#include <cstddef>

namespace starfmm {

/// Number of groups of a tree in the plane: a power of four, at most 64.
///
/// Without a GPU there are several groups a worker. Each group is large enough that its tasks are
/// worth at least 100 microseconds. It is also small enough that what its operators hand to each
/// other stays in a core's share of the cache. One GPU gets one group, since the group's kernels
/// fill it; several GPUs get several groups each, if points are many. There are more groups where a
/// group and its neighbours would not fit a GPU.
/// \param n_points sources
/// \param levels finest level
/// \param n_cpu CPU workers
/// \param n_cuda GPUs
/// \param gpu_memory bytes that a task's data may take of a GPU; 0: any number
[[nodiscard]] int
default_groups(std::size_t n_points, int levels, int n_cpu, int n_cuda, std::size_t gpu_memory = 0);

/// Number of groups of an octree, which are runs of cells: any number, at most 64. It follows the
/// rules of default_groups(), but several GPUs get one group each, if points are many.
/// \param list_words words of the whole tree's lists; those of a group must fit an array
[[nodiscard]] int default_runs(
    std::size_t n_points, std::size_t list_words, int n_cpu, int n_cuda, std::size_t gpu_memory = 0
);

/// Returns the level of a pyramid that has this number of boxes.
[[nodiscard]] int level_of_groups(int groups);

/// Number of chunks of the user's arrays, at most 64, which are split to groups side by side. There
/// is one chunk a GPU, so that none has to sort all of many points, and as many as it takes for a
/// chunk to fit a GPU. Without GPUs there is about one a core, where there are several cores. There
/// is one chunk if points are few.
/// \param n_points sources
/// \param n_cpu CPU workers
/// \param n_cuda GPUs
/// \param gpu_memory bytes that a task's data may take of a GPU; 0: any number
[[nodiscard]] int
default_chunks(std::size_t n_points, int n_cpu, int n_cuda, std::size_t gpu_memory);

} // namespace starfmm
