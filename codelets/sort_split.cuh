// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of sort: binary splits of sorted lists, by one partition of all nodes of a depth while
// nodes are large, then by one block a node for all depths that remain.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/sort_task.hpp"
#include "core/geometry.hpp"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>

namespace starfmm {

inline constexpr int sort_threads = 256;

/// A point's way through the split of its node.
struct PointSplit {
    int list;             ///< that the split reorders: of the other direction
    bool below;           ///< the plane
    RankPair pair;        ///< at the point's position in the list
    std::uint64_t begin;  ///< of the node
    std::uint64_t middle; ///< first point of the node's upper half

    /// \param n_below points of the node below the plane that precede this one
    STARFMM_HOST_DEVICE std::uint64_t target(std::uint64_t i, std::uint64_t n_below) const {
        return below ? begin + n_below : middle + (i - begin) - n_below;
    }
};

/// Nodes of one depth of a tree, and the tree's points by x and by y rank, node by node.
template <class Real>
struct SplitDepth {
    SplitTree tree;
    int depth;
    const RankPair* pairs[2];
    const Real* sorted[2];

    STARFMM_HOST_DEVICE std::uint64_t begin(std::uint64_t node) const {
        return tree.begin(depth, node);
    }

    STARFMM_HOST_DEVICE std::uint64_t middle(std::uint64_t node) const {
        return tree.begin(depth + 1, 2 * node + 1);
    }

    /// Not an index into `pairs`, which would move the structure out of registers.
    STARFMM_HOST_DEVICE RankPair pair(int d, std::uint64_t i) const {
        return (d == 0 ? pairs[0] : pairs[1])[i];
    }

    STARFMM_HOST_DEVICE std::uint32_t rank(int d, std::uint64_t i) const {
        return static_cast<std::uint32_t>(pair(d, i) >> (32 * d));
    }

    STARFMM_HOST_DEVICE Real coordinate(int d, std::uint64_t i) const {
        return (d == 0 ? sorted[0] : sorted[1])[rank(d, i)];
    }

    STARFMM_HOST_DEVICE Bounds<Real> point_bounds(std::uint64_t node) const {
        const std::uint64_t first = begin(node);
        const std::uint64_t end = begin(node + 1);
        if (first == end) {
            return Bounds<Real>::nothing();
        }
        return {
            {coordinate(0, first), coordinate(1, first)},
            {coordinate(0, end - 1), coordinate(1, end - 1)}};
    }

    /// What decides a split: of a level's boxes the points' bounds, within a level the parent's,
    /// cut at its plane.
    STARFMM_HOST_DEVICE Bounds<Real>
    split_bounds(std::uint64_t node, const SplitPlane<Real>* parent) const {
        Bounds<Real> bounds = point_bounds(node);
        if ((tree.first_depth + depth) % 2 == 0) {
            return bounds;
        }
        const Bounds<Real> sibling = point_bounds(node ^ 1U);
        for (int d = 0; d < 2; ++d) {
            bounds.min[d] = sibling.min[d] < bounds.min[d] ? sibling.min[d] : bounds.min[d];
            bounds.max[d] = sibling.max[d] > bounds.max[d] ? sibling.max[d] : bounds.max[d];
        }
        (node % 2 == 0 ? bounds.max : bounds.min)[parent->direction] = parent->value;
        return bounds;
    }

    STARFMM_HOST_DEVICE SplitPlane<Real>
    choose_plane(std::uint64_t node, const SplitPlane<Real>* parent) const {
        const Bounds<Real> bounds = split_bounds(node, parent);
        const int d = split_direction(bounds);
        const std::uint64_t upper = middle(node);
        return {
            upper < begin(node + 1) ? coordinate(d, upper) : bounds.max[d],
            static_cast<std::uint32_t>(d)};
    }

    STARFMM_HOST_DEVICE PointSplit
    split_point(std::uint64_t node, std::uint64_t i, int direction) const {
        const std::uint64_t upper = middle(node);
        const RankPair moved = pair(1 - direction, i);
        const auto point_rank = static_cast<std::uint32_t>(moved >> (32 * direction));
        const bool below = upper == begin(node + 1) || point_rank < rank(direction, upper);
        return {1 - direction, below, moved, begin(node), upper};
    }
};

/// Where the lists of a node are: partitions take turns between two buffers.
struct ListPlace {
    std::uint8_t x_buffer;
    std::uint8_t y_buffer;
    std::uint8_t direction; ///< of the node's split

    STARFMM_HOST_DEVICE ListPlace child() const {
        return {
            static_cast<std::uint8_t>(direction == 1 ? 1 - x_buffer : x_buffer),
            static_cast<std::uint8_t>(direction == 0 ? 1 - y_buffer : y_buffer),
            0};
    }
};

/// What the kernels of the global phase share.
template <class Real>
struct DeviceSplitter {
    SplitTree tree;
    std::uint64_t n;
    RankPair* pairs; ///< [2 buffers][2 directions][n]
    const Real* sorted[2];
    SplitPlane<Real>* planes; ///< by plane_index, as are places
    ListPlace* places;

    STARFMM_HOST_DEVICE RankPair* list(int buffer, int direction) const {
        return pairs + (2 * buffer + direction) * n;
    }

    STARFMM_HOST_DEVICE ListPlace place(int depth, std::uint64_t node) const {
        return depth == 0 ? ListPlace{} : places[plane_index(depth - 1, node / 2)].child();
    }

    STARFMM_HOST_DEVICE SplitDepth<Real> at(int depth, const ListPlace& place) const {
        return {
            tree,
            depth,
            {list(place.x_buffer, 0), list(place.y_buffer, 1)},
            {sorted[0], sorted[1]}};
    }
};

template <class Real>
__global__ void __launch_bounds__(sort_threads)
    choose_planes_kernel(const __grid_constant__ DeviceSplitter<Real> splitter, int depth) {
    const std::uint64_t node = thread_index();
    if (node >= std::uint64_t(1) << depth) {
        return;
    }
    ListPlace place = splitter.place(depth, node);
    const SplitPlane<Real>* parent =
        depth == 0 ? nullptr : splitter.planes + plane_index(depth - 1, node / 2);
    const SplitPlane<Real> plane = splitter.at(depth, place).choose_plane(node, parent);
    place.direction = static_cast<std::uint8_t>(plane.direction);
    splitter.planes[plane_index(depth, node)] = plane;
    splitter.places[plane_index(depth, node)] = place;
}

/// Number of points of a node below its plane, summed along the list that the split reorders. The
/// upper bit marks a node's first point. Lower halves have less than 2^31 points.
struct CountBelow {
    static constexpr std::uint32_t first = 1U << 31U;

    STARFMM_HOST_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
        return (b & first) != 0 ? b : a + b;
    }
};

/// One depth of the global phase: what the scan reads of each point, and what it does with the sum.
template <class Real>
struct PartitionPoints {
    DeviceSplitter<Real> splitter;
    int depth;

    STARFMM_HOST_DEVICE PointSplit split(std::uint64_t i, ListPlace& place) const {
        const std::uint64_t node = splitter.tree.node_of(depth, i);
        place = splitter.places[plane_index(depth, node)];
        return splitter.at(depth, place).split_point(node, i, place.direction);
    }

    STARFMM_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const {
        ListPlace place;
        const PointSplit point = split(i, place);
        return (point.below ? 1U : 0U) | (i == point.begin ? CountBelow::first : 0U);
    }

    STARFMM_HOST_DEVICE void operator()(std::ptrdiff_t i, std::uint32_t sum) const {
        ListPlace place;
        const PointSplit point = split(static_cast<std::uint64_t>(i), place);
        const std::uint32_t before = (sum & ~CountBelow::first) - (point.below ? 1 : 0);
        const int buffer = point.list == 0 ? place.x_buffer : place.y_buffer;
        RankPair* out = splitter.list(1 - buffer, point.list);
        out[point.target(static_cast<std::uint64_t>(i), before)] = point.pair;
    }
};

/// Device memory that a body hands to CUB.
struct DeviceRoom {
    void* data;
    std::size_t bytes;

    /// Runs a CUB algorithm: first it is asked how much memory it needs.
    template <class Algorithm>
    void run(const char* name, const Algorithm& algorithm) const {
        std::size_t needed = 0;
        check_cuda(algorithm(nullptr, needed), name);
        if (needed > bytes) {
            throw CudaError(
                std::string(name) + ": needs " + std::to_string(needed) +
                " bytes of scratch, has " + std::to_string(bytes) +
                ": raise the bytes in codelets/sort_task.hpp"
            );
        }
        check_cuda(algorithm(data, needed), name);
    }
};

template <class Real>
void choose_planes(const DeviceSplitter<Real>& splitter, int depth) {
    const unsigned blocks = n_blocks(std::size_t(1) << depth, sort_threads);
    choose_planes_kernel<Real><<<blocks, sort_threads, 0, cuda_stream()>>>(splitter, depth);
    check_cuda(cudaGetLastError(), "launch of choose_planes_kernel");
}

/// Splits every node of one depth: the lists of their children are in the buffers that theirs are
/// not in.
template <class Real>
void split_depth(const DeviceSplitter<Real>& splitter, int depth, const DeviceRoom& room) {
    choose_planes(splitter, depth);
    if (splitter.n == 0) {
        return;
    }
    const PartitionPoints<Real> partition{splitter, depth};
    const auto in =
        thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), partition);
    const auto out = thrust::make_tabulate_output_iterator(partition);
    room.run("partition of sorted lists", [&](void* data, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveScan(
            data, bytes, in, out, CountBelow{}, splitter.n, cuda_stream()
        );
    });
}

} // namespace starfmm
