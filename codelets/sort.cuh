// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of sort and sort_group.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/device_room.cuh"
#include "codelets/sort_block.cuh"
#include "codelets/sort_split.cuh"
#include "codelets/sort_task.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The scratch of sort and sort_group: lists of pairs, places of a node's lists, CUB's memory.
template <class Real>
struct SortScratch {
    DeviceSplitter<Real> splitter;
    DeviceRoom radix_room; ///< behind the lists of the first buffer

    /// \param by_x    the task's pairs by x rank
    template <class Task>
    SortScratch(const Task& task, const RankPair* by_x) {
        auto* pairs = reinterpret_cast<RankPair*>(task.scratch);
        auto* block_sums = reinterpret_cast<std::uint32_t*>(pairs + 4 * task.n);
        splitter = {
            split_tree(task),
            task.n,
            pairs,
            by_x,
            {task.sorted[0], task.sorted[1]},
            task.planes,
            reinterpret_cast<ListPlace*>(block_sums + most_split_blocks),
            block_sums};
        std::byte* rest = reinterpret_cast<std::byte*>(splitter.list(1, 0));
        const std::byte* end = task.scratch + sort_scratch_bytes(task.n);
        radix_room = {rest, static_cast<std::size_t>(end - rest)};
    }
};

template <class Real>
__global__ void __launch_bounds__(sort_threads)
    invert_order_kernel(const __grid_constant__ SortTask<Real> task, std::uint32_t* y_rank) {
    const std::size_t rank = thread_index();
    if (rank < task.n) {
        y_rank[task.order[1][rank]] = static_cast<std::uint32_t>(rank);
    }
}

/// \param y_rank [n], by user index
template <class Real>
__global__ void __launch_bounds__(sort_threads) list_by_x_kernel(
    const __grid_constant__ SortTask<Real> task, const std::uint32_t* y_rank, RankPair* by_x
) {
    const std::size_t rank = thread_index();
    if (rank < task.n) {
        by_x[rank] = make_rank_pair(static_cast<std::uint32_t>(rank), y_rank[task.order[0][rank]]);
    }
}

/// All points are in the list: ranks are places.
template <class Pair>
__global__ void __launch_bounds__(sort_threads)
    list_by_y_kernel(const Pair* by_x, std::size_t n, Pair* by_y) {
    const std::size_t i = thread_index();
    if (i < n) {
        const Pair pair = by_x[i];
        by_y[rank_of<1>(pair)] = pair;
    }
}

inline void list_by_y(const RankPair* by_x, std::size_t n, RankPair* by_y) {
    list_by_y_kernel<<<n_blocks(n, sort_threads), sort_threads, 0, cuda_stream()>>>(by_x, n, by_y);
    check_cuda(cudaGetLastError(), "launch of list_by_y_kernel");
}

/// \param y_rank [n], scratch
template <class Real>
void list_by_x(const SortTask<Real>& task, std::uint32_t* y_rank, RankPair* by_x) {
    const unsigned blocks = n_blocks(task.n, sort_threads);
    invert_order_kernel<Real><<<blocks, sort_threads, 0, cuda_stream()>>>(task, y_rank);
    check_cuda(cudaGetLastError(), "launch of invert_order_kernel");
    list_by_x_kernel<Real><<<blocks, sort_threads, 0, cuda_stream()>>>(task, y_rank, by_x);
    check_cuda(cudaGetLastError(), "launch of list_by_x_kernel");
}

struct GroupPairs {
    RankPair* pairs[max_slots];
};

template <class Real>
__global__ void __launch_bounds__(sort_threads) copy_groups_kernel(
    const __grid_constant__ DeviceSplitter<Real> splitter, const __grid_constant__ GroupPairs out
) {
    const std::size_t i = thread_index();
    if (i < splitter.n) {
        const SplitTree& tree = splitter.tree;
        const std::uint64_t group = tree.node_of(tree.depths, i);
        const ListPlace place = splitter.place(tree.depths, group);
        out.pairs[group][i - tree.begin(tree.depths, group)] = splitter.x_list(place)[i];
    }
}

template <class Real>
void sort_cuda(void* buffers[], void* args) {
    const auto task = SortTask<Real>::unpack(buffers, args);
    auto* y_rank = reinterpret_cast<std::uint32_t*>(task.scratch); // where the first split writes
    if (task.n_groups == 1) {
        list_by_x(task, y_rank, task.pairs(0));
        return;
    }
    RankPair* by_x = reinterpret_cast<RankPair*>(task.scratch) + 2 * task.n; // second buffer
    const DeviceSplitter<Real> splitter = SortScratch<Real>(task, by_x).splitter;
    list_by_x(task, y_rank, by_x);
    list_by_y(by_x, task.n, splitter.list(0, 1));
    split_nodes(splitter, splitter.tree.depths);
    GroupPairs out{};
    for (std::size_t group = 0; group < task.n_groups; ++group) {
        out.pairs[group] = task.pairs(group);
    }
    const unsigned blocks = n_blocks(task.n, sort_threads);
    copy_groups_kernel<Real><<<blocks, sort_threads, 0, cuda_stream()>>>(splitter, out);
    check_cuda(cudaGetLastError(), "launch of copy_groups_kernel");
}

/// The group's pairs by y.
template <class Real>
void list_group_by_y(const SortGroupTask<Real>& task, const SortScratch<Real>& scratch) {
    RankPair* by_y = scratch.splitter.list(0, 1);
    if (task.n == task.n_ranks) {
        list_by_y(task.pairs, task.n, by_y);
        return;
    }
    const auto last_rank = static_cast<std::uint32_t>(task.n_ranks - 1);
    scratch.radix_room.run("radix sort of pairs", [&](void* data, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(
            data,
            bytes,
            task.pairs,
            by_y,
            static_cast<std::uint32_t>(task.n),
            32,
            32 + static_cast<int>(std::bit_width(last_rank | 1U)),
            cuda_stream()
        );
    });
}

/// Points that a block of the current device can split in shared memory.
inline std::uint32_t block_capacity() {
    const std::size_t fitting = block_shared_bytes() / (2 * sizeof(RankPair));
    return static_cast<std::uint32_t>(std::min<std::size_t>(fitting, most_block_points));
}

/// Splits to make in global memory: until nodes fit into a block, and, while they are large, until
/// they occupy the device.
inline int global_depths(std::uint64_t n, int depths, std::uint32_t capacity) {
    constexpr std::uint64_t small = 4096;
    constexpr int many = 7;
    int depth = 0;
    while (depth < depths && ((n >> depth) + 2 > capacity || (depth < many && (n >> depth) > small))
    ) {
        ++depth;
    }
    return depth;
}

/// All splits below nodes of `depth`, which fit into blocks.
template <class Real>
void finish_nodes(
    const SortGroupTask<Real>& task, const DeviceSplitter<Real>& splitter, int depth
) {
    const auto capacity = static_cast<std::uint32_t>((task.n >> depth) + 2);
    const std::size_t bytes = 2 * capacity * sizeof(RankPair);
    allow_shared_bytes(finish_nodes_kernel<Real>, bytes);
    finish_nodes_kernel<Real>
        <<<1U << depth, block_threads, bytes, cuda_stream()>>>(task, splitter, depth, capacity);
    check_cuda(cudaGetLastError(), "launch of finish_nodes_kernel");
}

template <class Real>
void sort_group_cuda(void* buffers[], void* args) {
    const auto task = SortGroupTask<Real>::unpack(buffers, args);
    const SortScratch<Real> scratch(task, task.pairs);
    const DeviceSplitter<Real>& splitter = scratch.splitter;
    if (task.n > 0) {
        list_group_by_y(task, scratch);
    }
    const std::uint32_t capacity = block_capacity();
    const int depth = global_depths(task.n, splitter.tree.depths, capacity);
    split_nodes(splitter, depth);
    if ((task.n >> depth) + 2 <= capacity) {
        finish_nodes(task, splitter, depth);
        return;
    }
    const unsigned blocks = n_blocks(task.n, sort_threads);
    set_points_kernel<Real><<<blocks, sort_threads, 0, cuda_stream()>>>(task, splitter);
    check_cuda(cudaGetLastError(), "launch of set_points_kernel");
}

} // namespace starfmm
