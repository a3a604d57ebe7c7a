// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of sort: all splits below a node whose points fit into one block's shared memory.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/sort_split.cuh"
#include "codelets/sort_task.hpp"

#include <cstdint>

namespace starfmm {

/// Points of a node that one block splits to the last depth: two lists in 32 KiB of shared memory.
inline constexpr int block_points = 2048;
inline constexpr int block_threads = 512;
inline constexpr int block_warps = block_threads / warp_lanes;
inline constexpr int thread_points = block_points / block_threads;

struct BlockLists {
    RankPair pairs[2][block_points];
    std::uint16_t n_below[block_points]; ///< preceding points, of any node, below their planes
    std::uint16_t warp_sums[block_warps];

    /// The k-th point of this thread: a warp has `thread_points` consecutive rows of points.
    __device__ static int point(int k) {
        const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
        return (warp * thread_points + k) * warp_lanes + static_cast<int>(threadIdx.x) % warp_lanes;
    }

    /// Fills `n_below` from what each thread tells of its points.
    __device__ void count(const PointSplit (&points)[thread_points]) {
        const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
        const unsigned preceding = (1U << threadIdx.x % warp_lanes) - 1;
        unsigned counts[thread_points];
        unsigned sum = 0;
#pragma unroll
        for (int k = 0; k < thread_points; ++k) {
            const unsigned below = __ballot_sync(0xffffffffU, points[k].below);
            counts[k] = sum + __popc(below & preceding);
            sum += __popc(below);
        }
        warp_sums[warp] = static_cast<std::uint16_t>(sum);
        __syncthreads();
        for (int w = 0; w < warp; ++w) {
#pragma unroll
            for (int k = 0; k < thread_points; ++k) {
                counts[k] += warp_sums[w];
            }
        }
#pragma unroll
        for (int k = 0; k < thread_points; ++k) {
            n_below[point(k)] = static_cast<std::uint16_t>(counts[k]);
        }
        __syncthreads();
    }
};

/// Splits every node of one depth, in place.
template <class Real>
__device__ void
split_in_block(BlockLists& block, const SplitDepth<Real>& level, const SplitPlane<Real>* planes) {
    const int n = static_cast<int>(level.tree.begin(0, 1));
    PointSplit points[thread_points];
#pragma unroll
    for (int k = 0; k < thread_points; ++k) {
        const int i = BlockLists::point(k);
        points[k] = {};
        if (i < n) {
            const std::uint64_t node = level.tree.node_of(level.depth, i);
            points[k] = level.split_point(node, i, static_cast<int>(planes[node].direction));
        }
    }
    block.count(points);
#pragma unroll
    for (int k = 0; k < thread_points; ++k) {
        const int i = BlockLists::point(k);
        if (i < n) {
            const PointSplit& split = points[k];
            const int n_below = block.n_below[i] - block.n_below[split.begin];
            block.pairs[split.list][split.target(i, n_below)] = split.pair;
        }
    }
    __syncthreads();
}

/// One block a node of `depth`, whose planes are chosen: all splits down to the leaves, then its
/// points.
template <class Real>
__global__ void __launch_bounds__(block_threads) finish_nodes_kernel(
    const __grid_constant__ SortGroupTask<Real> task,
    const __grid_constant__ DeviceSplitter<Real> splitter,
    int depth
) {
    __shared__ BlockLists block;
    const std::uint64_t root = blockIdx.x;
    const std::uint64_t begin = splitter.tree.begin(depth, root);
    const SplitDepth<Real> in = splitter.at(depth, splitter.place(depth, root));
    SplitDepth<Real> level{
        splitter.tree.below(depth, root),
        0,
        {block.pairs[0], block.pairs[1]},
        {in.sorted[0], in.sorted[1]}};
    const int n = static_cast<int>(level.tree.begin(0, 1));
    for (int i = threadIdx.x; i < n; i += block_threads) {
        block.pairs[0][i] = in.pairs[0][begin + i];
        block.pairs[1][i] = in.pairs[1][begin + i];
    }
    __syncthreads();
    const SplitPlane<Real>* parents = nullptr;
    for (; level.depth < level.tree.depths; ++level.depth) {
        SplitPlane<Real>* planes =
            splitter.planes + plane_index(depth + level.depth, root << level.depth);
        const std::uint64_t n_nodes = level.depth == 0 ? 0 : std::uint64_t(1) << level.depth;
        for (std::uint64_t node = threadIdx.x; node < n_nodes; node += block_threads) {
            planes[node] = level.choose_plane(node, parents + node / 2);
        }
        __syncthreads();
        split_in_block(block, level, planes);
        parents = planes;
    }
    for (int i = threadIdx.x; i < n; i += block_threads) {
        task.set_point(begin + i, block.pairs[0][i]);
    }
}

/// The points where leaves are larger than what a block holds.
template <class Real>
__global__ void __launch_bounds__(sort_threads) set_points_kernel(
    const __grid_constant__ SortGroupTask<Real> task,
    const __grid_constant__ DeviceSplitter<Real> splitter
) {
    const std::uint64_t i = thread_index();
    if (i < splitter.n) {
        const int depth = splitter.tree.depths;
        const ListPlace place = splitter.place(depth, splitter.tree.node_of(depth, i));
        task.set_point(i, splitter.list(place.x_buffer, 0)[i]);
    }
}

} // namespace starfmm
