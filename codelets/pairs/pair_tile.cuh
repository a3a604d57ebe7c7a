// SPDX-License-Identifier: BSD-3-Clause
// A warp's tile of targets against a stream of sources: what P2P and the direct sum share.
//
// 8 or 16 lanes times a few targets each meet the sources, every lane a quarter or half of them.
// Sources pass through a ring in shared memory, to which the warp copies them asynchronously, at
// least a stage ahead of the one that it computes with.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/task/task_views.hpp"
#include "core/laws/pair_point.hpp"

#include <cuda_pipeline.h>

#include <type_traits>

namespace starfmm {

/// A point as pairs need it.
template <class K>
using WarpPoint = PairPoint<typename K::Real, Position<dimension_of<K>, typename K::Real>>;

/// How a warp holds its targets: `lanes` lanes hold `tile` different ones each, the other lanes the
/// same ones again, and meet other sources.
template <int lanes_, int tile_>
struct TileShape {
    static constexpr int lanes = lanes_;
    static constexpr int tile = tile_;
    static constexpr unsigned targets = lanes * tile;

    /// Consecutive sources that a lane meets: a coordinate of two takes one load, and twice as many
    /// pairs are in flight.
    static constexpr unsigned sources = 2;

    /// Sources that the warp meets at once.
    static constexpr unsigned round = warp_lanes / lanes * sources;
};

/// Most targets of any shape: sums of several columns take the registers of more.
template <class K>
inline constexpr unsigned most_targets = columns_at_once<K> > 1 ? 32 : 64;

/// Sources between two waits.
inline constexpr unsigned stage_sources = 32;

/// Most sources that are copied at a time.
inline constexpr unsigned piece_sources = 64;

/// Room for the stage in use, the next one, and the end of a piece that began in it.
inline constexpr unsigned ring_sources = 2 * stage_sources + piece_sources;

/// Sources of one warp, numbered from the stream's first, modulo the ring's size.
template <class K>
struct alignas(16) SourceRing {
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Point = WarpPoint<K>;
    using Value = typename K::template Value<Real>;
    static constexpr bool is_split = !std::is_same_v<Real, double>;
    Real x[D][ring_sources];
    Real low[D][is_split ? ring_sources : 1];
    alignas(16) Real strengths[n_strength_components<K>][ring_sources];

    /// The warp begins to copy `n` <= piece_sources sources from `from` on of a group's arrays.
    __device__ void fetch_piece(
        unsigned at,
        const PointView<D>& points,
        const StrengthView<K>& given,
        std::size_t from,
        unsigned n
    ) {
#pragma unroll
        for (unsigned i = 0; i < piece_sources; i += warp_lanes) {
            const unsigned source = i + threadIdx.x % warp_lanes;
            if (source < n) {
                const unsigned i = (at + source) % ring_sources;
                fetch_point(i, points, from + source);
                fetch_strength(i, given, from + source);
            }
        }
    }

    /// Begins to copy a strength to place `i`.
    __device__ void fetch_strength(unsigned i, const StrengthView<K>& given, std::size_t from) {
#pragma unroll
        for (int c = 0; c < n_strength_components<K>; ++c) {
            const Real* component = given.of_component[c];
            __pipeline_memcpy_async(strengths[c] + i, component + from, sizeof(Real));
        }
    }

    /// Begins to copy a point to place `i`; in single precision it is split and stored at once.
    __device__ void fetch_point(unsigned i, const PointView<D>& points, std::size_t from) {
        if constexpr (is_split) {
            store_point(i, pair_point<Real>(points[from]));
        } else {
#pragma unroll
            for (int d = 0; d < D; ++d) {
                __pipeline_memcpy_async(x[d] + i, points.x[d] + from, sizeof(Real));
            }
        }
    }

    __device__ void store_point(unsigned i, const Point& z) {
#pragma unroll
        for (int d = 0; d < D; ++d) {
            if constexpr (is_split) {
                x[d][i] = coordinate(z.high, d);
                low[d][i] = coordinate(z.low, d);
            } else {
                x[d][i] = coordinate(z, d);
            }
        }
    }

    /// A source without strength: it adds nothing to any target.
    __device__ void store_idle(unsigned at, const Point& z) {
        const unsigned i = at % ring_sources;
        store_point(i, z);
#pragma unroll
        for (int c = 0; c < n_strength_components<K>; ++c) {
            strengths[c][i] = 0;
        }
    }

    __device__ Point point(unsigned i) const {
        const auto high = make_position<D>([&](int d) { return x[d][i]; });
        if constexpr (is_split) {
            return {high, make_position<D>([&](int d) { return low[d][i]; })};
        } else {
            return high;
        }
    }

    __device__ typename K::template Strength<Real> strength(unsigned i) const {
        typename K::template Strength<Real> q;
        visit_components(q, [&](int c, Real& part) { part = strengths[c][i]; });
        return q;
    }

    /// The ring without sources serves to exchange results.
    __device__ ValueView<K> values() {
        constexpr int a_room = ring_sources / most_targets<K>; // components
        static_assert(ValueView<K>::n <= (D + n_strength_components<K>)*a_room);
        ValueView<K> view;
#pragma unroll
        for (int c = 0; c < ValueView<K>::n; ++c) {
            const int room = c / a_room;
            Real* const begin = room < D ? x[room] : strengths[room - D];
            view.of_component[c] = begin + c % a_room * most_targets<K>;
        }
        return view;
    }
};

/// Adds a stage's rounds of sources to each of the lane's targets.
template <class K, class Shape>
__device__ void add_stage(
    const WarpPoint<K> (&z)[Shape::tile],
    const SourceRing<K>& ring,
    unsigned first,
    unsigned n,
    typename K::template Value<typename K::Real> (&sum)[Shape::tile]
) {
    const unsigned source_lane = threadIdx.x % warp_lanes / Shape::lanes;
    const unsigned begin = first % ring_sources;
    constexpr unsigned width = Shape::sources;
    for (unsigned j = begin + source_lane * width; j < begin + n; j += Shape::round) {
        WarpPoint<K> source[width];
        typename K::template Strength<typename K::Real> q[width];
#pragma unroll
        for (unsigned u = 0; u < width; ++u) {
            source[u] = ring.point(j + u);
            q[u] = ring.strength(j + u);
        }
#pragma unroll
        for (unsigned u = 0; u < width; ++u) {
#pragma unroll
            for (int t = 0; t < Shape::tile; ++t) {
                sum[t] += K::p2p({}, displacement(z[t], source[u]), q[u]);
            }
        }
    }
}

/// Adds all sources of the stream to each of the lane's targets. A stream has `fill(n, ring)`,
/// which begins to copy sources until at least `n` are on their way or it ends, and `filled()`,
/// their number.
template <class K, class Shape, class Stream>
__device__ void add_stream(
    const WarpPoint<K> (&z)[Shape::tile],
    Stream& stream,
    SourceRing<K>& ring,
    typename K::template Value<typename K::Real> (&sum)[Shape::tile]
) {
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
            ring.store_idle(first + n + lane, z[0]);
        }
        __pipeline_wait_prior(1); // all but the copies begun last
        __syncwarp();
        add_stage<K, Shape>(z, ring, first, rounded, sum);
        __syncwarp();
    }
}

/// Targets that a block takes at once, at most most_targets<K> of them.
template <int D>
struct TargetTile {
    PointView<D> points;
    unsigned begin;
    unsigned end;
};

/// Sums over the sources of the warp's stream, of at most Shape::targets targets, in the warp's
/// ring.
template <class K, class Shape, class MakeStream>
__device__ void sum_stream(
    const TargetTile<dimension_of<K>>& targets, const MakeStream& make_stream, SourceRing<K>& ring
) {
    using Real = typename K::Real;
    using Value = typename K::template Value<Real>;
    const unsigned lane = threadIdx.x % warp_lanes;
    WarpPoint<K> z[Shape::tile];
    Value sum[Shape::tile];
#pragma unroll
    for (int t = 0; t < Shape::tile; ++t) {
        const unsigned i = targets.begin + t * Shape::lanes + lane % Shape::lanes;
        z[t] = pair_point<Real>(targets.points[i < targets.end ? i : targets.begin]);
        sum[t] = Value{};
    }
    auto stream = make_stream();
    add_stream<K, Shape>(z, stream, ring, sum);
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
/// block, each of which has a ring.
template <class K, class MakeStream, class Put>
__device__ void for_each_sum(
    const TargetTile<dimension_of<K>>& targets,
    const MakeStream& make_stream,
    SourceRing<K>* rings,
    const Put& put
) {
    const unsigned n = targets.end - targets.begin;
    with_target_shape<K>(n, [&](auto shape) {
        sum_stream<K, decltype(shape)>(targets, make_stream, rings[threadIdx.x / warp_lanes]);
    });
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        auto value = rings[0].values()[i];
        for (unsigned warp = 1; warp < blockDim.x / warp_lanes; ++warp) {
            value += rings[warp].values()[i];
        }
        put(targets.begin + i, value);
    }
    __syncthreads();
}

/// Rings of a block's warps: dynamic shared memory, as its size depends on their number.
template <class K>
__device__ SourceRing<K>* source_rings() {
    extern __shared__ __align__(16) unsigned char shared_rings[];
    return reinterpret_cast<SourceRing<K>*>(shared_rings);
}

} // namespace starfmm
