// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of P2P.
//
// A warp takes up to 256 targets of one leaf. It copies the sources of the near leaves, one after
// the other, to shared memory, until the buffer is full or the list ends. Then 8 lanes times `tile`
// targets each meet them, every lane a quarter of them, so that leaves of any size keep nearly all
// lanes busy: a tile holds 8 to 48 targets.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/p2p.hpp"

namespace starfmm {

/// Targets of one leaf that a group of lanes takes at once.
inline constexpr std::size_t chunk_targets = 256;

struct TargetChunk {
    std::size_t leaf;
    std::size_t begin;
    std::size_t end; ///< == begin: nothing to do
};

/// Number of chunks, some of them empty: known without reading the offsets.
inline std::size_t n_target_chunks(std::size_t n_leaves, std::size_t n_targets) {
    return n_leaves + n_targets / chunk_targets;
}

/// Chunk `index` of leaves of any size. Leaf l has its first at l + offsets[l] / chunk_targets,
/// which leaves it enough of them before the next leaf's.
__device__ inline TargetChunk
target_chunk(TargetOffsets offsets, std::size_t n_leaves, std::size_t index) {
    std::size_t leaf = 0;
    std::size_t beyond = n_leaves;
    while (beyond - leaf > 1) {
        const std::size_t middle = leaf + (beyond - leaf) / 2;
        if (middle + offsets[middle] / chunk_targets <= index) {
            leaf = middle;
        } else {
            beyond = middle;
        }
    }
    const std::size_t first = offsets[leaf];
    const std::size_t end = offsets[leaf + 1];
    const std::size_t begin = first + (index - leaf - first / chunk_targets) * chunk_targets;
    if (begin >= end) {
        return {leaf, first, first};
    }
    return {leaf, begin, end - begin < chunk_targets ? end : begin + chunk_targets};
}

template <class Real>
std::size_t n_points(const PointView<Real>& points) {
    return points.y - points.x;
}

/// Lanes that hold different targets; the others of a warp hold the same ones, and other sources.
inline constexpr int p2p_target_lanes = 8;
inline constexpr int p2p_source_lanes = warp_lanes / p2p_target_lanes;

/// Targets a lane: enough pairs in flight to hide a reciprocal's latency, and 48 targets a warp for
/// leaves of 45.
inline constexpr int p2p_most_tile = 6;

/// Sources a buffer: 8 KB for complex strengths in double, so that 24 warps fit a multiprocessor.
inline constexpr int p2p_buffer = 256;

template <class K>
struct P2PBuffer {
    using Real = typename K::Real;
    Real x[p2p_buffer];
    Real y[p2p_buffer];
    Real re[p2p_buffer];
    Real im[has_complex_strength<K> ? p2p_buffer : 1];

    __device__ PointView<Real> points() { return {x, y}; }

    __device__ StrengthView<K> strengths() { return {re, im}; }

    __device__ void
    store(int i, const Complex<Real>& z, const typename K::template Strength<Real>& q) {
        x[i] = z.re;
        y[i] = z.im;
        if constexpr (has_complex_strength<K>) {
            re[i] = q.re;
            im[i] = q.im;
        } else {
            re[i] = q;
        }
    }
};

/// Adds sources first, first + step, ... < n to each of the lane's targets.
template <class K, int tile>
__device__ void add_pairs(
    const Complex<typename K::Real> (&z)[tile],
    const PointView<typename K::Real>& sources,
    const StrengthView<K>& strengths,
    int3 range,
    typename K::template Value<typename K::Real> (&sum)[tile]
) {
    for (int j = range.x; j < range.y; j += range.z) {
        const auto source = sources[j];
        const auto q = strengths[j];
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            sum[t] += K::p2p(z[t], source, q);
        }
    }
}

/// Where a warp stands in the sources of its near leaves.
struct SourceCursor {
    std::uint32_t entry;
    std::uint32_t last_entry;
    std::size_t skip; ///< sources of the entry that are done
};

/// Fills the buffer with the next sources. Returns their number; 0 at the end of the list.
template <class K>
__device__ int fill_buffer(
    const P2PTask<K>& task, const BoxReference* near, SourceCursor& cursor, P2PBuffer<K>& buffer
) {
    const int lane = threadIdx.x % warp_lanes;
    std::size_t filled = 0;
    __syncwarp();
    while (cursor.entry < cursor.last_entry && filled < p2p_buffer) {
        const LeafSources range = leaf_sources(task.args, near[cursor.entry]);
        const std::size_t begin = range.begin + cursor.skip;
        const std::size_t room = p2p_buffer - filled;
        const std::size_t n = range.end - begin < room ? range.end - begin : room;
        for (std::size_t i = lane; i < n; i += warp_lanes) {
            buffer.store(
                filled + i,
                task.sources[range.slot][begin + i],
                task.strengths[range.slot][begin + i]
            );
        }
        filled += n;
        cursor.skip += n;
        if (begin + n == range.end) {
            ++cursor.entry;
            cursor.skip = 0;
        }
    }
    __syncwarp();
    return filled;
}

/// At most 8 * tile targets of a leaf against all its near leaves.
template <class K, int tile>
__device__ void
p2p_targets(const P2PTask<K>& task, const TargetChunk& targets, P2PBuffer<K>& buffer) {
    using Real = typename K::Real;
    using Value = typename K::template Value<Real>;
    const int target_lane = threadIdx.x % p2p_target_lanes;
    const int source_lane = threadIdx.x % warp_lanes / p2p_target_lanes;
    Complex<Real> z[tile];
    Value sum[tile];
#pragma unroll
    for (int t = 0; t < tile; ++t) {
        const std::size_t i = targets.begin + t * p2p_target_lanes + target_lane;
        z[t] = task.targets[i < targets.end ? i : targets.begin];
        sum[t] = Value{};
    }
    const ListView near = task.near_list();
    SourceCursor cursor{near.offsets[targets.leaf], near.offsets[targets.leaf + 1], 0};
    while (const int n = fill_buffer(task, near.boxes, cursor, buffer)) {
        add_pairs<K, tile>(
            z, buffer.points(), buffer.strengths(), make_int3(source_lane, n, p2p_source_lanes), sum
        );
    }
#pragma unroll
    for (int t = 0; t < tile; ++t) {
        for (int offset = p2p_target_lanes; offset < warp_lanes; offset *= 2) {
            sum[t] += other_lane(sum[t], offset);
        }
        const std::size_t i = targets.begin + t * p2p_target_lanes + target_lane;
        if (source_lane == 0 && i < targets.end) {
            task.near.set(i, sum[t]);
        }
    }
}

/// Chooses the smallest tile that holds the targets.
template <class K, int tile = 1>
__device__ void
p2p_tile_targets(const P2PTask<K>& task, const TargetChunk& targets, P2PBuffer<K>& buffer) {
    if constexpr (tile < p2p_most_tile) {
        if (targets.end - targets.begin > tile * p2p_target_lanes) {
            return p2p_tile_targets<K, tile + 1>(task, targets, buffer);
        }
    }
    p2p_targets<K, tile>(task, targets, buffer);
}

/// One warp a block: it leaves as soon as it is done, whatever the sizes of other leaves.
template <class K>
__global__ void __launch_bounds__(warp_lanes) p2p_kernel(const __grid_constant__ P2PTask<K> task) {
    __shared__ P2PBuffer<K> buffer;
    const TargetChunk chunk =
        target_chunk(task.target_offsets, task.args.tree.leaves(), blockIdx.x);
    const std::size_t n = chunk.end - chunk.begin;
    constexpr std::size_t most = p2p_most_tile * p2p_target_lanes;
    const std::size_t n_tiles = (n + most - 1) / most;
    for (std::size_t t = 0; t < n_tiles; ++t) {
        p2p_tile_targets<K>(
            task,
            {chunk.leaf, chunk.begin + n * t / n_tiles, chunk.begin + n * (t + 1) / n_tiles},
            buffer
        );
    }
}

template <class K>
void p2p_cuda(void* buffers[], void* args) {
    const auto task = P2PTask<K>::unpack(buffers, args);
    const auto blocks =
        static_cast<unsigned>(n_target_chunks(task.args.tree.leaves(), n_points(task.targets)));
    p2p_kernel<K><<<blocks, warp_lanes, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of p2p_kernel");
}

} // namespace starfmm
