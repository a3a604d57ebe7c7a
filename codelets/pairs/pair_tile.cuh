// SPDX-License-Identifier: BSD-3-Clause
// A warp's tile of targets against a stream of sources: what P2P and the direct sum share.
//
// 8 or 16 lanes times a few targets each meet the sources, every lane a quarter or half of them.
// Sources pass through a ring in shared memory, to which the warp copies them asynchronously, at
// least a stage ahead of the one that it computes with; where pairs are in single precision, the
// warp rounds or splits a stage of them instead.
#pragma once

#include "codelets/pairs/gathered_targets.cuh"
#include "codelets/pairs/lane_targets.cuh"
#include "codelets/pairs/mixed_tile.cuh"

#include <type_traits>

namespace starfmm {

/// Adds all sources of the stream to each of the lane's targets. A stream has `fill(n, ring)`,
/// which begins to copy sources until at least `n` are on their way or it ends, and `filled()`,
/// their number.
template <class K, class Shape, class Targets, class Stream>
__device__ void add_stream(Targets& targets, Stream& stream, SourceRing<K>& ring) {
    const unsigned lane = threadIdx.x % warp_lanes;
    for (unsigned ahead = stage_sources; ahead < stream.filled() + 2 * stage_sources;
         ahead += stage_sources) {
        stream.fill(ahead, ring);
        __pipeline_commit();
        if (ahead == stage_sources) {
            continue; // the first stage is only on its way
        }
        const unsigned first = ahead - 2 * stage_sources;
        const unsigned rest = stream.filled() - first;
        const unsigned n = rest < stage_sources ? rest : stage_sources;
        const unsigned rounded = (n + Shape::round - 1) / Shape::round * Shape::round;
        if (n + lane < rounded) {
            ring.store_idle(first + n + lane, targets.idle());
        }
        __pipeline_wait_prior(1); // all but the copies begun last
        __syncwarp();
        targets.add(ring, first, n, rounded);
        __syncwarp();
    }
}

/// Stores the sums over all lanes that have a target, in the warp's ring.
template <class K, class Shape>
__device__ void
store_sums(typename K::template Value<typename K::Real> (&sum)[Shape::tile], SourceRing<K>& ring) {
    const unsigned lane = threadIdx.x % warp_lanes;
#pragma unroll
    for (int t = 0; t < Shape::tile; ++t) {
        for (int offset = Shape::lanes; offset < warp_lanes; offset *= 2) {
            sum[t] += other_lane(sum[t], offset);
        }
        if (lane < Shape::lanes) {
            ring.values().set(t * Shape::lanes + lane, sum[t]);
        }
    }
}

/// What a warp has in shared memory.
template <class K>
using PairRoom = std::conditional_t<
    has_mixed_pairs<K>,
    MixedRoom<K>,
    std::conditional_t<gathers_sources<K>, GatheredRoom<K>, SourceRing<K>>>;

/// Sums over the sources of the warp's stream, of at most Shape::targets targets, in the warp's
/// room.
template <class K, class Shape, class MakeStream>
__device__ void sum_stream(
    const K& kernel,
    const TargetTile<dimension_of<K>>& tile,
    const MakeStream& make_stream,
    SourceRing<K>& room
) {
    LaneTargets<K, Shape> targets(tile, kernel);
    auto stream = make_stream();
    add_stream<K, Shape>(targets, stream, room);
    store_sums<K, Shape>(targets.sum, room);
}

/// Calls `use` with the first of the shapes that holds `n` targets, or the last.
template <class Shape, class... Rest, class Use>
STARFMM_HOST_DEVICE void with_shape(unsigned n, const Use& use) {
    if constexpr (sizeof...(Rest) > 0) {
        if (n > Shape::targets) {
            return with_shape<Rest...>(n, use);
        }
    }
    use(Shape{});
}

/// Calls `use` with the first shape that holds `n` <= most_targets<K> targets.
template <class K, class Use>
STARFMM_HOST_DEVICE void with_target_shape(unsigned n, const Use& use) {
    if constexpr (columns_at_once < K >> 1) {
        with_shape<TileShape<8, 1>, TileShape<8, 2>, TileShape<16, 2>>(n, use);
    } else {
        with_shape<
            TileShape<8, 1>,
            TileShape<8, 2>,
            TileShape<8, 3>,
            TileShape<16, 2>,
            TileShape<8, 5>,
            TileShape<16, 3>,
            TileShape<16, 4>>(n, use);
    }
}

/// Calls `put(i, value)` for each target, once, with its sum over the streams of all warps of the
/// block, each of which has a room.
template <class K, class MakeStream, class Put>
__device__ void for_each_sum(
    const K& kernel,
    const TargetTile<dimension_of<K>>& targets,
    const MakeStream& make_stream,
    PairRoom<K>* rooms,
    const Put& put
) {
    const unsigned n = targets.end - targets.begin;
    PairRoom<K>& own = rooms[kept(threadIdx.x / warp_lanes)];
    const auto put_all = [&](const auto& sum_of) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
            auto value = sum_of(rooms[0], i);
            for (unsigned warp = 1; warp < blockDim.x / warp_lanes; ++warp) {
                value += sum_of(rooms[warp], i);
            }
            put(targets.begin + i, value);
        }
        __syncthreads();
    };
    const auto value_of = [](auto& room, unsigned i) { return room.values()[i]; };
    if constexpr (has_mixed_pairs<K>) {
        auto stream = make_stream();
        MixedLaneTargets<K>(kernel, targets, stream, own).add_all(stream);
        const typename MixedRoom<K>::Shape shape(n);
        put_all([&](PairRoom<K>& room, unsigned i) { return room.sum(shape, i); });
    } else if constexpr (gathers_sources<K>) {
        auto stream = make_stream();
        sum_gathered(kernel, targets, stream, own);
        put_all(value_of);
    } else {
        with_target_shape<K>(n, [&](auto shape) {
            sum_stream<K, decltype(shape)>(kernel, targets, make_stream, own);
            put_all(value_of);
        });
    }
}

/// Rooms of a block's warps: dynamic shared memory, as its size depends on their number.
template <class K>
__device__ PairRoom<K>* pair_rooms() {
    extern __shared__ __align__(16) unsigned char shared_rooms[];
    return reinterpret_cast<PairRoom<K>*>(shared_rooms);
}

} // namespace starfmm
