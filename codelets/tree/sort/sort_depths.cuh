// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of sort in space: splits of all nodes of a depth at once.
//
// The points are listed once a direction, node by node, in order of their ranks: bounds and medians
// are single entries, and a split is a stable partition of each node's part of each list. One sum
// over all lists tells how many entries below their planes are before an entry, which gives the
// entry's place.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/device_room.cuh"
#include "codelets/tree/sort/sort_task.hpp"
#include "core/tree/geometry.hpp"

#include <cub/device/device_scan.cuh>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace starfmm {

inline constexpr int level_threads = 256;

/// The data that the kernels share: points by number, which is their order by x, and lists of the
/// numbers.
template <int D>
struct LevelSplitter {
    SplitTree tree;
    std::size_t n;
    const RankTuple<D>* ranks; ///< [n]
    const double* sorted[D];
    SplitPlane* planes;     ///< planes, by plane_index
    std::uint32_t* lists;   ///< [D][n], by rank in each direction
    std::uint32_t* spare;   ///< [D][n], where splits move entries to
    std::uint32_t* n_below; ///< [D n + 1], entries below their planes before each

    /// Returns the rank in direction `d` of the entry `i` of a list.
    __device__ std::uint32_t rank(int list, std::size_t i, int d) const {
        return rank_of(ranks[lists[list * n + i]], d);
    }

    __device__ double coordinate(int d, std::size_t i) const { return sorted[d][rank(d, i, d)]; }

    __device__ void add_points(int depth, std::uint64_t node, Bounds<double, D>& bounds) const {
        const std::uint64_t begin = tree.begin(depth, node);
        const std::uint64_t end = tree.begin(depth, node + 1);
        for (int d = 0; d < D && begin < end; ++d) {
            bounds.add(d, coordinate(d, begin));
            bounds.add(d, coordinate(d, end - 1));
        }
    }

    /// Returns the bounds of the points of a level's box, cut at the planes between its node and
    /// this one.
    __device__ Bounds<double, D> bounds(int depth, std::uint64_t node) const {
        const int n_cuts = (tree.first_depth + depth) % D;
        const std::uint64_t first = node >> n_cuts << n_cuts;
        auto bounds = Bounds<double, D>::nothing();
        for (unsigned i = 0; i < 1U << n_cuts; ++i) {
            add_points(depth, first + i, bounds);
        }
        for (int up = n_cuts; up > 0; --up) {
            const SplitPlane plane = planes[plane_index(depth - up, node >> up)];
            const bool is_lower = (node >> (up - 1)) % 2 == 0;
            (is_lower ? bounds.max : bounds.min)[plane.direction] = plane.value;
        }
        return bounds;
    }

    __device__ void choose_plane(int depth, std::uint64_t node) const {
        const Bounds<double, D> box = bounds(depth, node);
        const int d = split_direction(box);
        const std::uint64_t upper = tree.begin(depth + 1, 2 * node + 1);
        const bool has_upper = upper < tree.begin(depth, node + 1);
        planes[plane_index(depth, node)] = {
            has_upper ? coordinate(d, upper) : box.max[d], static_cast<std::uint32_t>(d)};
    }

    __device__ bool is_below(int list, std::size_t i, int depth) const {
        const std::uint64_t node = tree.node_of(depth, i);
        const std::uint64_t upper = tree.begin(depth + 1, 2 * node + 1);
        const auto d = static_cast<int>(planes[plane_index(depth, node)].direction);
        return upper == tree.begin(depth, node + 1) || rank(list, i, d) < rank(d, upper, d);
    }

    /// Returns the place of entry `i` of a list behind the split.
    __device__ std::size_t place(int list, std::size_t i, int depth) const {
        const std::uint64_t node = tree.node_of(depth, i);
        const std::uint64_t begin = tree.begin(depth, node);
        const std::uint32_t* before = n_below + list * n;
        const std::uint32_t n_before = before[i] - before[begin];
        return before[i + 1] != before[i]
                   ? begin + n_before
                   : tree.begin(depth + 1, 2 * node + 1) + (i - begin) - n_before;
    }
};

template <int D>
__global__ void __launch_bounds__(level_threads)
    choose_planes_kernel(const __grid_constant__ LevelSplitter<D> splitter, int depth) {
    const std::uint64_t node = thread_index();
    if (node < std::uint64_t(1) << depth) {
        splitter.choose_plane(depth, node);
    }
}

/// Marks the lower halves, with a row of blocks a list, in this kernel and the next one.
template <int D>
__global__ void __launch_bounds__(level_threads)
    mark_lower_kernel(const __grid_constant__ LevelSplitter<D> splitter, int depth) {
    const std::size_t i = thread_index();
    const auto list = static_cast<int>(blockIdx.y);
    if (i < splitter.n) {
        splitter.n_below[list * splitter.n + i] = splitter.is_below(list, i, depth) ? 1 : 0;
    }
    if (i == 0) {
        splitter.n_below[gridDim.y * splitter.n] = 0; // the sum of all comes here
    }
}

template <int D>
__global__ void __launch_bounds__(level_threads)
    move_entries_kernel(const __grid_constant__ LevelSplitter<D> splitter, int depth) {
    const std::size_t i = thread_index();
    if (i < splitter.n) {
        const auto list = static_cast<int>(blockIdx.y);
        const std::size_t begin = list * splitter.n;
        splitter.spare[begin + splitter.place(list, i, depth)] = splitter.lists[begin + i];
    }
}

/// Finds the depth's planes, then the lists of the next depth; after the last depth only that by x.
template <int D>
void split_depth(LevelSplitter<D>& splitter, int depth, const DeviceRoom& room) {
    const unsigned n_lists = depth + 1 < splitter.tree.depths ? D : 1;
    const dim3 blocks(n_blocks(splitter.n, level_threads), n_lists);
    const unsigned node_blocks = n_blocks(std::size_t(1) << depth, level_threads);
    const cudaStream_t stream = cuda_stream();
    choose_planes_kernel<<<node_blocks, level_threads, 0, stream>>>(splitter, depth);
    check_cuda(cudaGetLastError(), "launch of choose_planes_kernel");
    mark_lower_kernel<<<blocks, level_threads, 0, stream>>>(splitter, depth);
    check_cuda(cudaGetLastError(), "launch of mark_lower_kernel");
    std::uint32_t* sums = splitter.n_below;
    room.run("sum of entries below planes", [&](void* data, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(
            data, bytes, sums, sums, n_lists * splitter.n + 1, stream
        );
    });
    move_entries_kernel<<<blocks, level_threads, 0, stream>>>(splitter, depth);
    check_cuda(cudaGetLastError(), "launch of move_entries_kernel");
    std::swap(splitter.lists, splitter.spare);
}

template <int D>
void split_levels(LevelSplitter<D>& splitter, const DeviceRoom& room) {
    for (int depth = 0; depth < splitter.tree.depths; ++depth) {
        split_depth(splitter, depth, room);
    }
}

} // namespace starfmm
