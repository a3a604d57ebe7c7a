// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of sort and sort_group, with pairs of ranks in shared memory.
#pragma once

#include "codelets/cuda/device_room.cuh"
#include "codelets/cuda/index_kernel.cuh"
#include "codelets/tree/sort/sort_block.cuh"
#include "codelets/tree/sort/sort_split.cuh"
#include "codelets/tree/sort/sort_task.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The scratch of sort and sort_group: lists, places of a node's lists, and CUB's memory.
struct SortScratch {
    DeviceSplitter splitter;
    DeviceRoom radix_room;

    /// Divides the scratch.
    /// \param pairs  ranks among all points, null where they are the same
    template <class Task>
    SortScratch(const Task& task, const RankPair* pairs) {
        auto* lists = reinterpret_cast<std::uint32_t*>(task.scratch);
        auto* block_sums = lists + 6 * task.n;
        splitter = {
            split_tree(task),
            task.n,
            lists,
            pairs,
            {task.sorted[0], task.sorted[1]},
            task.planes,
            reinterpret_cast<ListPlace*>(block_sums + most_split_blocks),
            block_sums};
        std::byte* rest = reinterpret_cast<std::byte*>(block_sums);
        const std::byte* end = task.scratch + sort_scratch_bytes(task.n);
        radix_room = {rest, static_cast<std::size_t>(end - rest)};
    }
};

__device__ inline void set_y_rank(const SortTask& task, std::uint32_t* y_rank, std::size_t rank) {
    y_rank[task.order[1][rank]] = static_cast<std::uint32_t>(rank);
}

/// Calls `visit(x rank, y rank)` for a point.
/// \param y_rank [n], by user index
template <class Visit>
__device__ void visit_ranks_of(
    const SortTask& task, const std::uint32_t* y_rank, const Visit& visit, std::size_t x_rank
) {
    visit(static_cast<std::uint32_t>(x_rank), y_rank[task.order[0][x_rank]]);
}

/// The visitor that lists the pairs of the only group.
struct ListPairs {
    RankPair* pairs;

    __device__ void operator()(std::uint32_t x_rank, std::uint32_t y_rank) const {
        pairs[x_rank] = make_rank_pair(x_rank, y_rank);
    }
};

/// The lists that come into splits.
struct ListRanks {
    std::uint32_t* by_x;
    std::uint32_t* by_y;

    __device__ void operator()(std::uint32_t x_rank, std::uint32_t y_rank) const {
        by_x[x_rank] = y_rank;
        by_y[y_rank] = x_rank;
    }
};

/// Visits the ranks of all points.
/// \param y_rank [n], scratch
template <class Visit>
void visit_ranks(const SortTask& task, std::uint32_t* y_rank, const Visit& visit) {
    launch_for_each<set_y_rank>(task.n, task, y_rank);
    launch_for_each<visit_ranks_of<Visit>>(task.n, task, y_rank, visit);
}

struct GroupPairs {
    RankPair* pairs[max_slots];
};

__device__ inline void
copy_to_group(const DeviceSplitter& splitter, const GroupPairs& out, std::size_t i) {
    const SplitTree& tree = splitter.tree;
    const std::uint64_t group = tree.node_of(tree.depths, i);
    const ListPlace place = splitter.place(tree.depths, group);
    const std::uint32_t y_rank = splitter.list(place.x_buffer, 0)[i];
    const std::uint32_t x_rank = splitter.list(0, 1)[y_rank];
    out.pairs[group][i - tree.begin(tree.depths, group)] = make_rank_pair(x_rank, y_rank);
}

inline void SortTask::cuda(const SortTask& task) {
    DeviceSplitter splitter = SortScratch(task, nullptr).splitter;
    std::uint32_t* y_rank = splitter.list(1, 0); // where the first split writes
    if (task.n_groups == 1) {
        visit_ranks(task, y_rank, ListPairs{task.ranks(0)});
        return;
    }
    visit_ranks(task, y_rank, ListRanks{splitter.list(0, 0), splitter.list(0, 1)});
    split_nodes(splitter, splitter.tree.depths);
    GroupPairs out{};
    for (std::size_t group = 0; group < task.n_groups; ++group) {
        out.pairs[group] = task.ranks(group);
    }
    launch_for_each<copy_to_group>(task.n, splitter, out);
}

/// Makes the lists that come into the splits of a group, and finds where its leaves begin.
/// \param x_rank [n], by y rank; null: ranks are those among all points
__device__ inline void list_rank(
    const SortGroupTask& task,
    const std::uint32_t* x_rank,
    const ListRanks& lists,
    std::size_t number
) {
    const auto i = static_cast<std::uint32_t>(number);
    if (i < task.n) {
        if (x_rank == nullptr) {
            lists(i, rank_of(task.ranks[i], 1));
        } else {
            lists(x_rank[i], i);
        }
    }
    if (i <= pyramid_of<2>(task.args).leaves()) {
        task.set_offset(i);
    }
}

/// Makes a key and a value for a sort by y.
__device__ inline void
set_y_key(const SortGroupTask& task, std::uint32_t* keys, std::uint32_t* x_rank, std::size_t i) {
    keys[i] = rank_of(task.ranks[i], 1);
    x_rank[i] = static_cast<std::uint32_t>(i);
}

/// Returns the ranks by x of one of several groups, by y.
inline const std::uint32_t* sort_by_y(const SortGroupTask& task, const SortScratch& scratch) {
    const DeviceSplitter& splitter = scratch.splitter;
    launch_for_each<set_y_key>(task.n, task, splitter.list(1, 0), splitter.list(1, 1));
    const auto last_rank = static_cast<std::uint32_t>(task.n_ranks - 1);
    scratch.radix_room.run("radix sort of ranks", [&](void* data, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(
            data,
            bytes,
            splitter.list(1, 0),
            splitter.list(2, 0),
            splitter.list(1, 1),
            splitter.list(2, 1),
            static_cast<std::uint32_t>(task.n),
            0,
            static_cast<int>(std::bit_width(last_rank | 1U)),
            cuda_stream()
        );
    });
    return splitter.list(2, 1);
}

inline void list_ranks(const SortGroupTask& task, const SortScratch& scratch) {
    const DeviceSplitter& splitter = scratch.splitter;
    const bool by_y = splitter.pairs != nullptr && task.n > 0;
    const std::uint32_t* x_rank = by_y ? sort_by_y(task, scratch) : nullptr;
    const std::size_t n_threads = std::max(task.n, pyramid_of<2>(task.args).leaves() + 1);
    const ListRanks lists{splitter.list(0, 0), splitter.list(0, 1)};
    launch_for_each<list_rank>(n_threads, task, x_rank, lists);
}

/// Returns the number of points that a block of the current device can split in shared memory.
inline std::uint32_t block_capacity() {
    const std::size_t fitting = block_shared_bytes() / (2 * sizeof(std::uint32_t));
    return static_cast<std::uint32_t>(std::min<std::size_t>(fitting, block_points(most_rows)));
}

/// Returns the number of splits to make in global memory: until nodes fit into a block, and, while
/// they are large, until they occupy the device.
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

/// Makes all splits below nodes of `depth`, which fit into blocks.
template <int n_rows>
void finish_nodes(const SortGroupTask& task, const DeviceSplitter& splitter, int depth) {
    const auto capacity = static_cast<std::uint32_t>((task.n >> depth) + 2);
    const std::size_t bytes = 2 * capacity * sizeof(std::uint32_t);
    const auto kernel = finish_nodes_kernel<n_rows>;
    allow_shared_bytes(kernel, bytes);
    kernel<<<1U << depth, block_threads, bytes, cuda_stream()>>>(task, splitter, depth, capacity);
    check_cuda(cudaGetLastError(), "launch of finish_nodes_kernel");
}

inline void SortGroupTask::cuda(const SortGroupTask& task) {
    const bool only = task.n == task.n_ranks;
    const SortScratch scratch(task, only ? nullptr : task.ranks);
    list_ranks(task, scratch);
    DeviceSplitter splitter = scratch.splitter;
    const std::uint32_t capacity = block_capacity();
    const int depth = global_depths(task.n, splitter.tree.depths, capacity);
    split_nodes(splitter, depth);
    if ((task.n >> depth) + 2 <= std::min(capacity, block_points(few_rows))) {
        finish_nodes<few_rows>(task, splitter, depth);
        return;
    }
    if ((task.n >> depth) + 2 <= capacity) {
        finish_nodes<most_rows>(task, splitter, depth);
        return;
    }
    launch_for_each<place_point>(task.n, task, splitter);
}

} // namespace starfmm
