// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of sort in space: the lists that come into splits, and what they become.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/device_room.cuh"
#include "codelets/tree/sort/sort_depths.cuh"
#include "codelets/tree/sort/sort_task.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Makes the lists that come into splits; if there are gaps between ranks, only that by x.
template <int D>
__global__ void __launch_bounds__(level_threads)
    list_points_kernel(const __grid_constant__ LevelSplitter<D> splitter, bool has_gaps) {
    const std::size_t i = thread_index();
    if (i < splitter.n) {
        splitter.lists[i] = static_cast<std::uint32_t>(i);
        const RankTuple<D> ranks = splitter.ranks[i];
        for (int d = 1; d < D && !has_gaps; ++d) {
            splitter.lists[d * splitter.n + rank_of(ranks, d)] = static_cast<std::uint32_t>(i);
        }
    }
}

template <int D>
__global__ void __launch_bounds__(level_threads)
    rank_keys_kernel(const __grid_constant__ LevelSplitter<D> splitter, int d) {
    const std::size_t i = thread_index();
    if (i < splitter.n) {
        splitter.spare[i] = rank_of(splitter.ranks[i], d);
    }
}

/// Makes the list of a direction, by the ranks of one of several groups.
template <int D>
void sort_list(
    const LevelSplitter<D>& splitter, int d, std::size_t n_ranks, const DeviceRoom& room
) {
    const std::size_t n = splitter.n;
    rank_keys_kernel<<<n_blocks(n, level_threads), level_threads, 0, cuda_stream()>>>(splitter, d);
    check_cuda(cudaGetLastError(), "launch of rank_keys_kernel");
    const auto last_rank = static_cast<std::uint32_t>(n_ranks - 1);
    room.run("radix sort of ranks", [&](void* data, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(
            data,
            bytes,
            splitter.spare,
            splitter.spare + n,
            splitter.lists,
            splitter.lists + d * n,
            static_cast<std::uint32_t>(n),
            0,
            static_cast<int>(std::bit_width(last_rank | 1U)),
            cuda_stream()
        );
    });
}

template <int D>
void list_points(const LevelSplitter<D>& splitter, std::size_t n_ranks, const DeviceRoom& room) {
    const bool has_gaps = splitter.n < n_ranks;
    const unsigned blocks = n_blocks(splitter.n, level_threads);
    list_points_kernel<<<blocks, level_threads, 0, cuda_stream()>>>(splitter, has_gaps);
    check_cuda(cudaGetLastError(), "launch of list_points_kernel");
    for (int d = 1; d < D && has_gaps && splitter.n > 0; ++d) {
        sort_list(splitter, d, n_ranks, room);
    }
}

/// The scratch of sort and sort_group: ranks, if they have no array of their own, lists, counts,
/// and CUB's memory.
template <int D>
struct LevelScratch {
    RankTuple<D>* ranks; ///< [n]
    LevelSplitter<D> splitter;
    DeviceRoom room;

    template <class Task>
    explicit LevelScratch(const Task& task) {
        const std::size_t n = task.n;
        ranks = reinterpret_cast<RankTuple<D>*>(task.scratch);
        auto* lists = reinterpret_cast<std::uint32_t*>(ranks + n);
        std::uint32_t* spare = lists + D * n;
        std::uint32_t* n_below = spare + D * n;
        splitter = {split_tree(task), n, ranks, {}, task.planes, lists, spare, n_below};
        std::copy_n(task.sorted, D, splitter.sorted);
        auto* rest = reinterpret_cast<std::byte*>(n_below + D * n + 1);
        const std::byte* end = task.scratch + sort_scratch_bytes(D, n);
        room = {rest, static_cast<std::size_t>(end - rest)};
    }
};

/// Inverts the orders, with a row of blocks for each direction but x.
/// \param by_user [D - 1][n], rank by user index
template <int D>
__global__ void __launch_bounds__(level_threads)
    invert_orders_kernel(const __grid_constant__ SortTask<D> task, std::uint32_t* by_user) {
    const std::size_t rank = thread_index();
    if (rank < task.n) {
        const std::uint32_t user = task.order[1 + blockIdx.y][rank];
        by_user[blockIdx.y * task.n + user] = static_cast<std::uint32_t>(rank);
    }
}

template <int D>
__global__ void __launch_bounds__(level_threads) rank_points_kernel(
    const __grid_constant__ SortTask<D> task, const std::uint32_t* by_user, RankTuple<D>* ranks
) {
    const std::size_t x_rank = thread_index();
    if (x_rank < task.n) {
        const std::uint32_t user = task.order[0][x_rank];
        ranks[x_rank] = make_rank_tuple<D>([&](int d) {
            return d == 0 ? static_cast<std::uint32_t>(x_rank) : by_user[(d - 1) * task.n + user];
        });
    }
}

/// Finds the ranks of all points, by x.
/// \param by_user [D - 1][n], scratch
template <int D>
void rank_points(const SortTask<D>& task, std::uint32_t* by_user, RankTuple<D>* ranks) {
    const unsigned blocks = n_blocks(task.n, level_threads);
    const cudaStream_t stream = cuda_stream();
    invert_orders_kernel<<<dim3(blocks, D - 1), level_threads, 0, stream>>>(task, by_user);
    check_cuda(cudaGetLastError(), "launch of invert_orders_kernel");
    rank_points_kernel<<<blocks, level_threads, 0, stream>>>(task, by_user, ranks);
    check_cuda(cudaGetLastError(), "launch of rank_points_kernel");
}

template <int D>
struct GroupRanks {
    RankTuple<D>* ranks[max_slots];
};

template <int D>
__global__ void __launch_bounds__(level_threads) copy_ranks_kernel(
    const __grid_constant__ LevelSplitter<D> splitter, const __grid_constant__ GroupRanks<D> out
) {
    const std::size_t i = thread_index();
    if (i < splitter.n) {
        const SplitTree& tree = splitter.tree;
        const std::uint64_t group = tree.node_of(tree.depths, i);
        const std::uint64_t begin = tree.begin(tree.depths, group);
        out.ranks[group][i - begin] = splitter.ranks[splitter.lists[i]];
    }
}

template <int D>
void sort_levels(const SortTask<D>& task) {
    LevelScratch<D> scratch(task);
    LevelSplitter<D>& splitter = scratch.splitter;
    if (task.n_groups == 1) {
        rank_points(task, splitter.spare, task.ranks(0));
        return;
    }
    rank_points(task, splitter.spare, scratch.ranks);
    list_points(splitter, task.n, scratch.room);
    split_levels(splitter, scratch.room);
    GroupRanks<D> out{};
    for (std::size_t group = 0; group < task.n_groups; ++group) {
        out.ranks[group] = task.ranks(group);
    }
    const unsigned blocks = n_blocks(task.n, level_threads);
    copy_ranks_kernel<<<blocks, level_threads, 0, cuda_stream()>>>(splitter, out);
    check_cuda(cudaGetLastError(), "launch of copy_ranks_kernel");
}

/// Sets the points by the list by x, which is in tree order, and finds where leaves begin.
template <int D>
__global__ void __launch_bounds__(level_threads)
    set_group_kernel(const __grid_constant__ SortGroupTask<D> task, const std::uint32_t* list) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        task.set_point(i, task.ranks[list[i]]);
    }
    if (i <= pyramid_of<D>(task.args).leaves()) {
        task.set_offset(i);
    }
}

template <int D>
void sort_group_levels(const SortGroupTask<D>& task) {
    LevelScratch<D> scratch(task);
    LevelSplitter<D>& splitter = scratch.splitter;
    splitter.ranks = task.ranks;
    list_points(splitter, task.n_ranks, scratch.room);
    split_levels(splitter, scratch.room);
    const std::size_t n_threads = std::max(task.n, pyramid_of<D>(task.args).leaves() + 1);
    const unsigned blocks = n_blocks(n_threads, level_threads);
    set_group_kernel<<<blocks, level_threads, 0, cuda_stream()>>>(task, splitter.lists);
    check_cuda(cudaGetLastError(), "launch of set_group_kernel");
}

} // namespace starfmm
