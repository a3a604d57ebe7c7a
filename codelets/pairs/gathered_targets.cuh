// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of pairs in single precision of points in space: a warp gathers sources of many leaves
// in one stage, rounds or splits each once, and meets them with its lanes' targets.
#pragma once

#include "codelets/pairs/mixed_tile.cuh"
#include "codelets/pairs/pair_form.hpp"

namespace starfmm {

/// Sources that a warp computes with at a time.
inline constexpr unsigned gathered_sources = 128;

/// These sources, and, without them, the warp's sums.
template <class K>
struct alignas(16) GatheredRoom {
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Point = WarpPoint<K>;
    alignas(16) Real x[D][gathered_sources];
    alignas(16) Real low[D][gathered_sources];
    alignas(16) Real strengths[n_strength_components<K>][gathered_sources];

    /// Source `i`, rounded as seen from `centre` or split.
    template <PairForm form>
    __device__ void
    store(unsigned i, const Position<D, double>& source, const Position<D, double>& centre) {
        if constexpr (form == PairForm::rounded) {
#pragma unroll
            for (int d = 0; d < D; ++d) {
                x[d][i] = static_cast<Real>(coordinate(source, d) - coordinate(centre, d));
            }
        } else {
            const Point split = pair_point<Real>(source);
#pragma unroll
            for (int d = 0; d < D; ++d) {
                x[d][i] = coordinate(split.high, d);
                low[d][i] = coordinate(split.low, d);
            }
        }
    }

    template <PairForm form>
    __device__ auto point(unsigned i) const {
        const auto high = make_position<D>([&](int d) { return x[d][i]; });
        if constexpr (form == PairForm::rounded) {
            return high;
        } else {
            return Point{high, make_position<D>([&](int d) { return low[d][i]; })};
        }
    }

    __device__ typename K::template Strength<Real> strength(unsigned i) const {
        typename K::template Strength<Real> q;
        visit_components(q, [&](int c, Real& part) { part = strengths[c][i]; });
        return q;
    }

    __device__ ValueView<K> values() {
        constexpr int a_room = gathered_sources / most_targets<K>; // components
        static_assert(ValueView<K>::n <= D * a_room);
        ValueView<K> view;
#pragma unroll
        for (int c = 0; c < ValueView<K>::n; ++c) {
            view.of_component[c] = x[c / a_room] + c % a_room * most_targets<K>;
        }
        return view;
    }
};

/// The lane's targets of a tile, and their sums.
template <class K, class Shape, PairForm form>
class GatheredTargets {
public:
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Point = std::conditional_t<form == PairForm::rounded, Position<D, Real>, WarpPoint<K>>;

    __device__ GatheredTargets(
        const K& kernel, const TargetTile<D>& targets, const Position<D, double>& centre
    )
        : kernel_(kernel), centre_(centre) {
#pragma unroll
        for (int t = 0; t < Shape::tile; ++t) {
            const auto z = targets.points[targets.template number<Shape>(t)];
            if constexpr (form == PairForm::rounded) {
                z_[t] = make_position<D>([&](int d) {
                    return static_cast<Real>(coordinate(z, d) - coordinate(centre, d));
                });
            } else {
                z_[t] = pair_point<Real>(z);
            }
            sum[t] = {};
        }
    }

    /// A stream as MixedLaneTargets has it.
    template <class Stream>
    __device__ void add_all(Stream& stream, GatheredRoom<K>& room) {
        while (stream.next()) {
            for (unsigned first = 0; first < stream.size(); first += gathered_sources) {
                const unsigned rest = stream.size() - first;
                const unsigned n = rest < gathered_sources ? rest : gathered_sources;
                const unsigned rounded = (n + Shape::round - 1) / Shape::round * Shape::round;
                gather(stream, first, n, rounded, room);
                __syncwarp();
                add(room, rounded);
                __syncwarp();
            }
        }
    }

    typename K::template Value<Real> sum[Shape::tile];

private:
    /// Those beyond the last repeat it, without strength.
    template <class Stream>
    __device__ void gather(
        const Stream& stream, unsigned first, unsigned n, unsigned rounded, GatheredRoom<K>& room
    ) const {
#pragma unroll
        for (unsigned begin = 0; begin < gathered_sources; begin += warp_lanes) {
            if (begin < rounded) {
                const unsigned i = begin + threadIdx.x % warp_lanes;
                const auto source = stream.source(first + (i < n ? i : n - 1), nullptr);
                room.template store<form>(i, source.at, centre_);
                visit_components(source.strength, [&](int c, Real part) {
                    room.strengths[c][i] = i < n ? part : 0;
                });
            }
        }
    }

    __device__ void add(const GatheredRoom<K>& room, unsigned n) {
        const unsigned source_lane = threadIdx.x % warp_lanes / Shape::lanes;
        for (unsigned j = source_lane * Shape::sources; j < n; j += Shape::round) {
#pragma unroll
            for (unsigned u = 0; u < Shape::sources; ++u) {
                const auto source = room.template point<form>(j + u);
                const auto q = room.strength(j + u);
#pragma unroll
                for (int t = 0; t < Shape::tile; ++t) {
                    sum[t] += kernel_.p2p({}, displacement(z_[t], source), q);
                }
            }
        }
    }

    [[no_unique_address]] K kernel_;
    Position<D, double> centre_;
    Point z_[Shape::tile];
};

/// Largest difference of a coordinate of a tile's targets and its first one, rounded up to less
/// than twice as much; the same in all lanes.
template <class K, class Shape>
__device__ double reach_from(
    const Position<dimension_of<K>, double>& first, const TargetTile<dimension_of<K>>& tile
) {
    unsigned extent = 0;
#pragma unroll
    for (int t = 0; t < Shape::tile; ++t) {
        const auto z = tile.points[tile.template number<Shape>(t)];
#pragma unroll
        for (int d = 0; d < dimension_of<K>; ++d) {
            const unsigned x = magnitude_word(coordinate(z, d) - coordinate(first, d));
            extent = extent > x ? extent : x;
        }
    }
    return __hiloint2double(static_cast<int>(greatest_of_warp(extent)), -1);
}

} // namespace starfmm
