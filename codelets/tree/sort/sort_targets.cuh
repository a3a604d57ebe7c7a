// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of sort_targets: a stable sort of the targets by leaf.
#pragma once

#include "codelets/cuda/index_kernel.cuh"
#include "codelets/tree/sort/sort_targets.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace starfmm {

/// The arrays of 32-bit words in the scratch, m each; the rest is the radix sort's own.
struct SortTargetsScratch {
    std::uint32_t* leaf;        ///< leaves of the points, by user index
    std::uint32_t* user;        ///< 0, 1, 2, ...
    std::uint32_t* sorted_leaf; ///< the same leaves, in tree order
    void* sort;
    std::size_t sort_bytes;

    STARFMM_HOST_DEVICE explicit SortTargetsScratch(const SortTargetsTask& task)
        : leaf(task.scratch), user(leaf + task.m), sorted_leaf(user + task.m),
          sort(sorted_leaf + task.m),
          sort_bytes((sort_targets_scratch_bytes - 3 * sizeof(std::uint32_t)) * task.m) {}
};

__device__ inline void find_leaf(const SortTargetsTask& task, std::size_t i) {
    const SortTargetsScratch scratch(task);
    scratch.leaf[i] = task.leaf_of(task.position(i));
    scratch.user[i] = static_cast<std::uint32_t>(i);
}

/// Finds a target's place by counting, in O(m), for the few targets whose scratch does not hold a
/// radix sort's.
__device__ inline void sort_by_counting(const SortTargetsTask& task, std::size_t i) {
    const SortTargetsScratch scratch(task);
    const std::uint32_t mine = scratch.leaf[i];
    std::size_t before = 0;
    for (std::size_t j = 0; j < task.m; ++j) {
        before += scratch.leaf[j] < mine || (scratch.leaf[j] == mine && j < i);
    }
    scratch.sorted_leaf[before] = mine;
    task.permutation[before] = static_cast<std::uint32_t>(i);
}

/// Finds the first target of a leaf: the first whose leaf is not before it.
__device__ inline void find_offset(const SortTargetsTask& task, std::size_t leaf) {
    const SortTargetsScratch scratch(task);
    std::size_t begin = 0;
    std::size_t end = task.m;
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (scratch.sorted_leaf[middle] < leaf) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    task.offsets[leaf] = static_cast<std::uint32_t>(begin);
}

__device__ inline void place_target(const SortTargetsTask& task, std::size_t at) {
    const std::uint32_t leaf = SortTargetsScratch(task).sorted_leaf[at];
    task.set_position(at, leaf, task.position(task.permutation[at]));
}

/// Fills the permutation and the sorted leaves.
inline void sort_by_leaf(const SortTargetsTask& task) {
    const SortTargetsScratch scratch(task);
    const int bits = task.args.tree.last > 0 ? 2 * task.args.tree.last : 1;
    const auto sort = [&](void* memory, std::size_t& bytes) {
        const cudaError_t code = cub::DeviceRadixSort::SortPairs(
            memory,
            bytes,
            scratch.leaf,
            scratch.sorted_leaf,
            scratch.user,
            task.permutation,
            static_cast<int>(task.m),
            0,
            bits,
            cuda_stream()
        );
        check_cuda(code, "radix sort of the targets");
    };
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    if (bytes <= scratch.sort_bytes) {
        sort(scratch.sort, bytes);
        return;
    }
    launch_for_each<sort_by_counting>(task.m, task);
}

inline void SortTargetsTask::cuda(const SortTargetsTask& task) {
    if (task.m > 0) {
        launch_for_each<find_leaf>(task.m, task);
        sort_by_leaf(task);
    }
    launch_for_each<find_offset>(n_boxes<2>(task.args.tree.last) + 1, task);
    launch_for_each<place_target>(task.m, task);
}

} // namespace starfmm
