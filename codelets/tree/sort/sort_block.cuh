// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of sort in the plane: all splits below a node whose lists fit into one block's
// shared memory.
//
// Teams of warps take a node each while there are fewer nodes than warps, then warps take several
// nodes. A warp's entries are in its registers before it puts them, so that a list is reordered in
// place.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/exchange/block_copy.cuh"
#include "codelets/tree/sort/sort_split.cuh"
#include "codelets/tree/sort/sort_task.hpp"

#include <cstdint>

namespace starfmm {

inline constexpr int block_threads = 1024;
inline constexpr unsigned block_warps = block_threads / warp_lanes; // one sum a lane

inline constexpr int few_rows = 12;
inline constexpr int most_rows = 24; ///< as many rows as registers hold

/// Returns the points of a node that a block of warps with `n_rows` rows can split: halves of nodes
/// are up to one point larger than half.
constexpr std::uint32_t block_points(int n_rows) {
    return block_warps * (n_rows * warp_lanes - 1);
}

/// Sets the points of y ranks `list`, from `begin` on: one array after the other, so that the
/// values gathered stay in the second cache.
__device__ inline void set_points(
    const SortGroupTask& task,
    const RankedPoints& points,
    std::uint32_t* list,
    std::uint64_t begin,
    std::uint32_t n
) {
    constexpr int at_once = 8;
    copy_by_block<at_once>(
        n,
        [&](std::uint32_t i) { return points.y(list[i]); },
        [&](std::uint32_t i, double y) { __stcs(task.positions.x[1] + begin + i, y); }
    );
    copy_by_block<at_once>(
        n,
        [&](std::uint32_t i) { return points.total_x_rank(list[i]); },
        [&](std::uint32_t i, std::uint32_t rank) { list[i] = rank; }
    );
    copy_by_block<at_once>(
        n,
        [&](std::uint32_t i) { return task.sorted[0][list[i]]; },
        [&](std::uint32_t i, double x) { __stcs(task.positions.x[0] + begin + i, x); }
    );
    copy_by_block<at_once>(
        n,
        [&](std::uint32_t i) { return task.order[list[i]]; },
        [&](std::uint32_t i, std::uint32_t index) { __stcs(task.permutation + begin + i, index); }
    );
}

/// The lists of one node in shared memory, and the splits below it.
template <int n_rows>
struct BlockSplitter {
    SplitDepth level; ///< depth of the tree below the block's node, with these lists
    std::uint32_t* lists[2];
    std::uint32_t* warp_sums; ///< [block_warps]

    /// Returns the node of this warp's team, or the first of those that the warp has alone.
    __device__ std::uint64_t first_node() const {
        return (std::uint64_t(1) << level.depth) * (threadIdx.x / warp_lanes) / block_warps;
    }

    /// Splits at the first depths, where each warp has but one node, or a part of one.
    __device__ void split_by_team(int direction) const {
        const unsigned warp = threadIdx.x / warp_lanes;
        const unsigned lane = threadIdx.x % warp_lanes;
        const unsigned size = block_warps >> level.depth;
        const TeamMember member{warp % size, size};
        const NodeSplit split = level.split(first_node(), direction);
        const std::uint32_t begin = member.begin(split, member.index);
        const std::uint32_t end =
            level.moves_entries(direction) ? member.begin(split, member.index + 1) : begin;
        WarpRows<n_rows> rows;
        rows.load(list(1 - direction) + begin, end - begin);
        warp_sums[warp] = rows.count_below(split);
        __syncthreads();
        const bool precedes = lane < warp && lane >= warp - member.index;
        const std::uint32_t before = sum_lanes<warp_lanes>(precedes ? warp_sums[lane] : 0);
        rows.store(list(1 - direction), begin, end, split, before);
        __syncthreads();
    }

    /// Splits a node that the warp has alone, with at most half of what a team's warp takes.
    __device__ void split_by_warp(std::uint64_t node, int direction) const {
        if (!level.moves_entries(direction)) {
            return;
        }
        const NodeSplit split = level.split(node, direction);
        if (split.end - split.begin <= WarpRows<3>::capacity) {
            move<3>(split);
        } else if (split.end - split.begin <= WarpRows<6>::capacity) {
            move<6>(split);
        } else {
            move<n_rows / 2>(split);
        }
    }

private:
    __device__ std::uint32_t* list(int d) const { return d == 0 ? lists[0] : lists[1]; }

    template <int rows_of_node>
    __device__ void move(const NodeSplit& split) const {
        WarpRows<rows_of_node> rows;
        rows.load(list(1 - split.direction) + split.begin, split.end - split.begin);
        __syncwarp();
        rows.store(list(1 - split.direction), split.begin, split.end, split, 0);
        __syncwarp();
    }
};

/// Splits the nodes of the depth, whose planes go to `planes`.
/// \param choose  is called with a node, for its plane
template <int n_rows, class Choose>
__device__ void
split_depth(const BlockSplitter<n_rows>& block, SplitPlane* planes, const Choose& choose) {
    const unsigned lane = threadIdx.x % warp_lanes;
    const std::uint64_t n_nodes = std::uint64_t(1) << block.level.depth;
    const std::uint64_t first = block.first_node();
    const std::uint64_t n_mine = n_nodes > block_warps ? n_nodes / block_warps : 1;
    for (std::uint64_t i = 0; i < n_mine; i += warp_lanes) {
        const std::uint64_t node = first + i + lane;
        SplitPlane plane{};
        if (i + lane < n_mine) {
            plane = choose(node);
            planes[node] = plane; // the same by each warp of a team
        }
        if (n_nodes <= block_warps) {
            block.split_by_team(static_cast<int>(from_lane(plane.direction, 0)));
            continue;
        }
        __syncwarp();
        for (unsigned j = 0; j < warp_lanes && i + j < n_mine; ++j) {
            const auto direction =
                static_cast<int>(from_lane(plane.direction, static_cast<int>(j)));
            block.split_by_warp(first + i + j, direction);
        }
    }
}

/// Makes all splits down to the leaves, then the points, one block a node of `depth`.
/// \param capacity  room for entries in each of two lists in dynamic shared memory
template <int n_rows>
__global__ void __launch_bounds__(block_threads) finish_nodes_kernel(
    const __grid_constant__ SortGroupTask task,
    const __grid_constant__ DeviceSplitter splitter,
    int depth,
    std::uint32_t capacity
) {
    extern __shared__ std::uint32_t lists[];
    __shared__ std::uint32_t warp_sums[block_warps];
    const std::uint64_t root = blockIdx.x;
    const std::uint64_t begin = splitter.tree.begin(depth, root);
    ListPlace place = splitter.place(depth, root);
    const SplitDepth above = splitter.at(depth, place);
    BlockSplitter<n_rows> block{
        {splitter.tree.below(depth, root), 0, {lists, lists + capacity}, splitter.points()},
        {lists, lists + capacity},
        warp_sums};
    const std::uint32_t n = block.level.begin(1);
    for (int d = 0; d < 2; ++d) {
        copy_by_block<8>(
            n,
            [&](std::uint32_t i) { return above.entry(d, begin + i); },
            [&](std::uint32_t i, std::uint32_t entry) { lists[d * capacity + i] = entry; }
        );
    }
    __syncthreads();
    const SplitPlane* parents = nullptr;
    for (; block.level.depth < block.level.tree.depths; ++block.level.depth) {
        SplitPlane* planes =
            splitter.planes + plane_index(depth + block.level.depth, root << block.level.depth);
        split_depth(block, planes, [&](std::uint64_t node) {
            return parents == nullptr ? splitter.choose_plane(depth, root, place)
                                      : block.level.choose_plane(node, parents + node / 2);
        });
        parents = planes;
    }
    __syncthreads();
    set_points(task, splitter.points(), lists, begin, n);
}

/// Sets a point where leaves are larger than what a block holds.
__device__ inline void
place_point(const SortGroupTask& task, const DeviceSplitter& splitter, std::size_t i) {
    const int depth = splitter.tree.depths;
    const ListPlace place = splitter.place(depth, splitter.tree.node_of(depth, i));
    const std::uint32_t y_rank = splitter.list(place.x_buffer, 0)[i];
    const RankedPoints points = splitter.points();
    const std::uint32_t x_rank = points.total_x_rank(y_rank);
    task.positions.x[0][i] = task.sorted[0][x_rank];
    task.positions.x[1][i] = points.y(y_rank);
    task.permutation[i] = task.order[x_rank];
}

} // namespace starfmm
