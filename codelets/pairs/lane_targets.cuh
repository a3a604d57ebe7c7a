// SPDX-License-Identifier: BSD-3-Clause
// Targets of a warp's lanes against sources in the warp's ring.
#pragma once

#include "codelets/pairs/source_ring.cuh"

namespace starfmm {

/// The way in which a warp holds its targets: `lanes` lanes hold `tile` different ones each; the
/// other lanes hold the same ones again, and meet other sources.
template <int lanes_, int tile_>
struct TileShape {
    static constexpr int lanes = lanes_;
    static constexpr int tile = tile_;
    static constexpr unsigned targets = lanes * tile;

    /// The consecutive sources that a lane meets: a coordinate of two takes one load, and twice as
    /// many pairs are in flight.
    static constexpr unsigned sources = 2;

    /// The sources that the warp meets at once.
    static constexpr unsigned round = warp_lanes / lanes * sources;
};

/// Returns a value as it is, in a register of its own: the compiler would rather find it again in
/// each round.
__device__ inline unsigned kept(unsigned value) {
    asm volatile("" : "+r"(value));
    return value;
}

/// The consecutive sources of a LaneShape's lane: a coordinate of all of them takes one load.
inline constexpr unsigned pack_sources = 4;

/// A TileShape that the compiler does not know: leaves are small and of all sizes, and code of its
/// own for each would not fit in the instruction cache, for which warps waited more than half of
/// their time.
template <int most_tile>
struct LaneShape {
    unsigned lanes;
    int tile;             ///< at most most_tile
    unsigned source_lane; ///< index among the lanes that have the same targets
    unsigned packs;       ///< packs of sources that the warp meets at once

    /// Makes the first shape that holds `n` <= 16 most_tile targets.
    __device__ explicit LaneShape(unsigned n) : LaneShape(lanes_for(n), n) {}

    /// Makes a shape.
    /// \param lanes_ 4, 8 or 16
    __device__ LaneShape(unsigned lanes_, unsigned n)
        : lanes(lanes_), tile(static_cast<int>((n + lanes - 1) / lanes)),
          source_lane(kept(threadIdx.x % warp_lanes / lanes)), packs(kept(warp_lanes / lanes)) {}

    __device__ static unsigned lanes_for(unsigned n) {
        return n <= 4 * most_tile ? 4 : n <= 8 * most_tile ? 8 : 16;
    }

    /// Returns the number of sources that the warp meets at once, a power of two.
    [[nodiscard]] __device__ unsigned round() const { return packs * pack_sources; }

    /// Returns the next multiple of round().
    [[nodiscard]] __device__ unsigned rounded_up(unsigned n) const {
        return (n + round() - 1) & -round();
    }

    /// Returns the place of the lane's `t`-th target among all.
    [[nodiscard]] __device__ unsigned place(int t) const { return t * lanes + threadIdx.x % lanes; }

    /// Calls meet(i, place in its pack) with the lane's places among sources [begin, end), both
    /// multiples of round().
    template <class Meet>
    __device__ void for_each_source(unsigned begin, unsigned end, const Meet& meet) const {
#pragma unroll 1
        for (unsigned pack = begin / pack_sources + source_lane; pack < end / pack_sources;
             pack += packs) {
#pragma unroll
            for (unsigned u = 0; u < pack_sources; ++u) {
                meet(pack * pack_sources + u, u);
            }
        }
    }
};

/// The most targets of a lane in any shape.
template <class K>
inline constexpr int most_tile = columns_at_once<K> > 1 ? 2 : 5;

/// Adds a stage's rounds of sources to each of the lane's targets, to none itself.
template <class K, class Shape>
__device__ void add_stage(
    const K& kernel,
    const WarpPoint<K> (&z)[Shape::tile],
    const LengthOf<K, typename K::Real> (&lengths)[Shape::tile],
    const unsigned (&numbers)[Shape::tile],
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
                sum[t] += pair_with_length(
                    kernel,
                    Position<dimension_of<K>, typename K::Real>{},
                    displacement(z[t], source[u]),
                    ring.is_target(j + u, numbers[t])
                        ? typename K::template Strength<typename K::Real>{}
                        : q[u],
                    lengths[t]
                );
            }
        }
    }
}

/// The targets that a block takes at once, at most most_targets<K> of them.
template <int D>
struct TargetTile {
    PointView<D> points;
    unsigned begin;
    unsigned end;
    const double* lengths = nullptr; ///< those of kernels that have them; null: zero

    /// Returns the number of the lane's `t`-th target; the first one where the lane has none.
    template <class Shape>
    __device__ unsigned number(int t) const {
        const unsigned i = begin + t * Shape::lanes + threadIdx.x % Shape::lanes;
        return i < end ? i : begin;
    }
};

/// The lane's targets of a tile, and their sums.
template <class K, class Shape>
struct LaneTargets {
    using Real = typename K::Real;
    using Value = typename K::template Value<Real>;
    WarpPoint<K> z[Shape::tile];
    LengthOf<K, Real> lengths[Shape::tile];
    unsigned numbers[Shape::tile]; ///< of kernels that leave out a target as its own source
    Value sum[Shape::tile];
    [[no_unique_address]] K kernel;

    __device__ explicit LaneTargets(
        const TargetTile<dimension_of<K>>& targets, const K& kernel = {}
    )
        : kernel(kernel) {
#pragma unroll
        for (int t = 0; t < Shape::tile; ++t) {
            const unsigned i = targets.template number<Shape>(t);
            z[t] = pair_point<Real>(targets.points[i]);
            numbers[t] = i;
            if constexpr (has_lengths<K>) {
                lengths[t] = targets.lengths == nullptr ? Real(0) : targets.lengths[i];
            }
            sum[t] = Value{};
        }
    }

    /// Returns where a source without strength may be.
    __device__ WarpPoint<K> idle() const {
        return z[0];
    }

    /// Adds sources [first, first + n) of the ring, which idle ones follow up to `rounded`.
    __device__ void add(SourceRing<K>& ring, unsigned first, unsigned /*n*/, unsigned rounded) {
        add_stage<K, Shape>(kernel, z, lengths, numbers, ring, first, rounded, sum);
    }
};

} // namespace starfmm
