// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of sort_targets: a stable sort of the targets by leaf.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/sort/sort_targets.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace starfmm {

inline constexpr int sort_targets_threads = 256;

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

inline __global__ void __launch_bounds__(sort_targets_threads)
    find_leaf_kernel(const __grid_constant__ SortTargetsTask task) {
    const std::size_t i = thread_index();
    if (i < task.m) {
        const SortTargetsScratch scratch(task);
        scratch.leaf[i] = task.leaf_of(task.position(i));
        scratch.user[i] = static_cast<std::uint32_t>(i);
    }
}

/// Sorts stably by counting, in O(m^2), the few targets whose scratch does not hold a radix sort's.
inline __global__ void __launch_bounds__(sort_targets_threads)
    sort_few_kernel(const __grid_constant__ SortTargetsTask task) {
    const std::size_t i = thread_index();
    if (i >= task.m) {
        return;
    }
    const SortTargetsScratch scratch(task);
    const std::uint32_t mine = scratch.leaf[i];
    std::size_t before = 0;
    for (std::size_t j = 0; j < task.m; ++j) {
        before += scratch.leaf[j] < mine || (scratch.leaf[j] == mine && j < i);
    }
    scratch.sorted_leaf[before] = mine;
    task.permutation[before] = static_cast<std::uint32_t>(i);
}

/// Finds the first target of each leaf: the first whose leaf is not before it.
inline __global__ void __launch_bounds__(sort_targets_threads)
    leaf_offsets_kernel(const __grid_constant__ SortTargetsTask task) {
    const std::size_t leaf = thread_index();
    if (leaf > n_boxes<2>(task.args.tree.last)) {
        return;
    }
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

inline __global__ void __launch_bounds__(sort_targets_threads)
    place_targets_kernel(const __grid_constant__ SortTargetsTask task) {
    const std::size_t at = thread_index();
    if (at < task.m) {
        const std::uint32_t leaf = SortTargetsScratch(task).sorted_leaf[at];
        task.set_position(at, leaf, task.position(task.permutation[at]));
    }
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
    const unsigned blocks = n_blocks(task.m, sort_targets_threads);
    sort_few_kernel<<<blocks, sort_targets_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of sort_few_kernel");
}

inline void SortTargetsTask::cuda(const SortTargetsTask& task) {
    const unsigned blocks = n_blocks(task.m, sort_targets_threads);
    const cudaStream_t stream = cuda_stream();
    if (task.m > 0) {
        find_leaf_kernel<<<blocks, sort_targets_threads, 0, stream>>>(task);
        check_cuda(cudaGetLastError(), "launch of find_leaf_kernel");
        sort_by_leaf(task);
    }
    const unsigned leaf_blocks =
        n_blocks(n_boxes<2>(task.args.tree.last) + 1, sort_targets_threads);
    leaf_offsets_kernel<<<leaf_blocks, sort_targets_threads, 0, stream>>>(task);
    check_cuda(cudaGetLastError(), "launch of leaf_offsets_kernel");
    place_targets_kernel<<<blocks, sort_targets_threads, 0, stream>>>(task);
    check_cuda(cudaGetLastError(), "launch of place_targets_kernel");
}

} // namespace starfmm
