// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of rank, sort and sort_group.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/sort_block.cuh"
#include "codelets/sort_split.cuh"
#include "codelets/sort_task.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Keys and values of the radix sort. Adding zero turns -0 into +0, so that equal values tie.
template <class Real>
__global__ void __launch_bounds__(sort_threads)
    rank_keys_kernel(const double* x, std::size_t n, Real* keys, std::uint32_t* indices) {
    const std::size_t i = thread_index();
    if (i < n) {
        keys[i] = static_cast<Real>(x[i]) + Real(0);
        indices[i] = static_cast<std::uint32_t>(i);
    }
}

template <class Real>
__global__ void __launch_bounds__(sort_threads)
    rank_kernel(const std::uint32_t* order, std::size_t n, std::uint32_t* rank) {
    const std::size_t r = thread_index();
    if (r < n) {
        rank[order[r]] = static_cast<std::uint32_t>(r);
    }
}

template <class Real>
void rank_cuda(void* buffers[], void* args) {
    const auto task = RankTask<Real>::unpack(buffers, args);
    if (task.n == 0) {
        return;
    }
    const unsigned blocks = n_blocks(task.n, sort_threads);
    auto* keys = reinterpret_cast<Real*>(task.scratch);
    auto* indices = reinterpret_cast<std::uint32_t*>(keys + task.n);
    std::byte* rest = reinterpret_cast<std::byte*>(indices + task.n);
    const DeviceRoom room{
        rest, rank_scratch_bytes * task.n - static_cast<std::size_t>(rest - task.scratch)};
    rank_keys_kernel<Real>
        <<<blocks, sort_threads, 0, cuda_stream()>>>(task.x, task.n, keys, indices);
    check_cuda(cudaGetLastError(), "launch of rank_keys_kernel");
    room.run("radix sort of coordinates", [&](void* data, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(
            data,
            bytes,
            keys,
            task.sorted,
            indices,
            task.order,
            task.n,
            0,
            8 * static_cast<int>(sizeof(Real)),
            cuda_stream()
        );
    });
    rank_kernel<Real><<<blocks, sort_threads, 0, cuda_stream()>>>(task.order, task.n, task.rank);
    check_cuda(cudaGetLastError(), "launch of rank_kernel");
}

/// The scratch of sort and sort_group: lists of pairs, places of a node's lists, CUB's memory.
template <class Real>
struct SortScratch {
    DeviceSplitter<Real> splitter;
    DeviceRoom room;       ///< behind lists and places
    DeviceRoom radix_room; ///< behind the lists of the first buffer

    /// \param n_nodes at depths 0 up to the deepest of the global phase
    template <class Task>
    SortScratch(const Task& task, std::size_t n_nodes) {
        auto* pairs = reinterpret_cast<RankPair*>(task.scratch);
        auto* places = reinterpret_cast<ListPlace*>(pairs + 4 * task.n);
        std::byte* end = task.scratch + sort_scratch_bytes(task.n);
        const auto room_from = [end](void* data) {
            return DeviceRoom{data, static_cast<std::size_t>(end - static_cast<std::byte*>(data))};
        };
        splitter = {
            split_tree(task), task.n, pairs, {task.sorted[0], task.sorted[1]}, task.planes, places};
        room = room_from(places + n_nodes);
        radix_room = room_from(splitter.list(1, 0));
    }
};

/// Every point's pair into the lists: all points, so that ranks are positions.
template <class Real>
__global__ void __launch_bounds__(sort_threads)
    list_pairs_kernel(const __grid_constant__ SortTask<Real> task, RankPair* by_x, RankPair* by_y) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        const RankPair pair = make_rank_pair(task.rank[0][i], task.rank[1][i]);
        by_x[task.rank[0][i]] = pair;
        if (by_y != nullptr) {
            by_y[task.rank[1][i]] = pair;
        }
    }
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
        const int buffer = splitter.place(tree.depths, group).x_buffer;
        out.pairs[group][i - tree.begin(tree.depths, group)] = splitter.list(buffer, 0)[i];
    }
}

template <class Real>
void sort_cuda(void* buffers[], void* args) {
    const auto task = SortTask<Real>::unpack(buffers, args);
    const unsigned blocks = n_blocks(task.n, sort_threads);
    if (task.n_groups == 1) {
        list_pairs_kernel<Real>
            <<<blocks, sort_threads, 0, cuda_stream()>>>(task, task.pairs(0), nullptr);
        check_cuda(cudaGetLastError(), "launch of list_pairs_kernel");
        return;
    }
    const SortScratch<Real> scratch(task, task.n_groups);
    const DeviceSplitter<Real>& splitter = scratch.splitter;
    list_pairs_kernel<Real><<<blocks, sort_threads, 0, cuda_stream()>>>(
        task, splitter.list(0, 0), splitter.list(0, 1)
    );
    check_cuda(cudaGetLastError(), "launch of list_pairs_kernel");
    for (int depth = 0; depth < splitter.tree.depths; ++depth) {
        split_depth(splitter, depth, scratch.room);
    }
    GroupPairs out{};
    for (std::size_t group = 0; group < task.n_groups; ++group) {
        out.pairs[group] = task.pairs(group);
    }
    copy_groups_kernel<Real><<<blocks, sort_threads, 0, cuda_stream()>>>(splitter, out);
    check_cuda(cudaGetLastError(), "launch of copy_groups_kernel");
}

/// The pairs by x, as they come, and by y.
template <class Real>
void list_group_pairs(const SortGroupTask<Real>& task, const SortScratch<Real>& scratch) {
    RankPair* by_x = scratch.splitter.list(0, 0);
    RankPair* by_y = scratch.splitter.list(0, 1);
    check_cuda(
        cudaMemcpyAsync(
            by_x, task.pairs, task.n * sizeof(RankPair), cudaMemcpyDeviceToDevice, cuda_stream()
        ),
        "copy of pairs"
    );
    const auto last_rank = static_cast<std::uint32_t>(task.args.n_sources - 1);
    scratch.radix_room.run("radix sort of pairs", [&](void* data, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(
            data,
            bytes,
            task.pairs,
            by_y,
            task.n,
            32,
            32 + static_cast<int>(std::bit_width(last_rank | 1U)),
            cuda_stream()
        );
    });
}

template <class Real>
void sort_group_cuda(void* buffers[], void* args) {
    const auto task = SortGroupTask<Real>::unpack(buffers, args);
    const int depths = split_tree(task).depths;
    int depth = 0;
    while (depth < depths && (task.n >> depth) + 2 > block_points) {
        ++depth;
    }
    const SortScratch<Real> scratch(task, plane_index(depth + 1, 0));
    const DeviceSplitter<Real>& splitter = scratch.splitter;
    if (task.n > 0) {
        list_group_pairs(task, scratch);
    }
    for (int d = 0; d < depth; ++d) {
        split_depth(splitter, d, scratch.room);
    }
    if ((task.n >> depth) + 2 > block_points) {
        const unsigned blocks = n_blocks(task.n, sort_threads);
        set_points_kernel<Real><<<blocks, sort_threads, 0, cuda_stream()>>>(task, splitter);
        check_cuda(cudaGetLastError(), "launch of set_points_kernel");
        return;
    }
    if (depth < depths) {
        choose_planes(splitter, depth);
    }
    finish_nodes_kernel<Real>
        <<<1U << depth, block_threads, 0, cuda_stream()>>>(task, splitter, depth);
    check_cuda(cudaGetLastError(), "launch of finish_nodes_kernel");
}

} // namespace starfmm
