// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of pairs in single precision of points in space: a warp gathers sources of many
// leaves in one stage, rounds or splits each once, and meets them with its lanes' targets.
#pragma once

#include "codelets/pairs/mixed_tile.cuh"
#include "codelets/pairs/pair_form.hpp"

#include <type_traits>
#include <utility>

namespace starfmm {

/// The sources that a warp computes with at a time.
inline constexpr unsigned gathered_sources = 128;

/// Whether sources that are targets have a loop of their own, so that no other pair looks whether it
/// is one of a target with itself. Long pairs, as a spline's, leave no registers for a second loop,
/// with which sums took 1.25 times as long.
template <class K>
inline constexpr bool meets_itself_apart = requires(const K& kernel, Position<3, float> d) {
    kernel.p2p_softened(d, 1.0F);
};

/// The room for these sources, and, without them, for the warp's sums.
template <class K>
struct alignas(16) GatheredRoom {
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Point = WarpPoint<K>;
    alignas(16) Real x[D][gathered_sources];
    alignas(16) Real low[D][gathered_sources];
    alignas(16) Real strengths[n_strength_components<K>][gathered_sources];

    /// Stores source `i`, rounded as seen from `centre`, or split.
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
template <class K, PairForm form>
class GatheredTargets {
public:
    static constexpr int D = dimension_of<K>;
    static constexpr int most_tile = 4;
    using Real = typename K::Real;
    using Point = std::conditional_t<form == PairForm::rounded, Position<D, Real>, WarpPoint<K>>;

    __device__ GatheredTargets(
        const K& kernel, const TargetTile<D>& targets, const Position<D, double>& centre
    )
        : kernel_(kernel), parts_(targets.end - targets.begin),
          shape_(parts_.lanes, parts_.n_whole), begin_(targets.begin), end_(targets.end),
          centre_(centre) {
#pragma unroll
        for (int t = 0; t < most_tile; ++t) {
            const unsigned i = targets.begin + place(t);
            const auto z = targets.points[i < targets.end ? i : targets.begin];
            if constexpr (form == PairForm::rounded) {
                z_[t] = make_position<D>([&](int d) {
                    return static_cast<Real>(coordinate(z, d) - coordinate(centre, d));
                });
            } else {
                z_[t] = pair_point<Real>(z);
            }
            sum_[t] = {};
        }
    }

    /// Adds all sources of a stream, which is as MixedLaneTargets has it.
    template <class Stream>
    __device__ void add_all(Stream& stream, GatheredRoom<K>& room) {
        while (stream.next()) {
            for (unsigned first = 0; first < stream.size(); first += gathered_sources) {
                const unsigned rest = stream.size() - first;
                const unsigned n = rest < gathered_sources ? rest : gathered_sources;
                const OwnSources own = gather(stream, first, n, room);
                __syncwarp();
                add(room, own, n, std::make_integer_sequence<int, most_tile>{});
                __syncwarp();
            }
        }
    }

    /// Stores the sums over all lanes that have a target.
    __device__ void store_sums(GatheredRoom<K>& room) {
#pragma unroll
        for (int t = 0; t < most_tile; ++t) {
            const unsigned lanes = is_rest(t) ? parts_.rest_lanes : shape_.lanes;
            for (unsigned offset = lanes; offset < warp_lanes; offset *= 2) {
                sum_[t] += other_lane(sum_[t], static_cast<int>(offset));
            }
            if (threadIdx.x % warp_lanes < lanes && (t < shape_.tile || is_rest(t))) {
                room.values().set(place(t), sum_[t]);
            }
        }
    }

private:
    /// The targets that fill all lanes of a shape, and those that are left, if half the lanes or
    /// fewer hold them: these are the last of a lane's, and meet the sources apart.
    struct Parts {
        unsigned lanes;
        unsigned n_whole;
        unsigned rest_lanes; ///< lanes that hold the rest; 0: no targets are left

        __device__ explicit Parts(unsigned n)
            : lanes(LaneShape<most_tile>::lanes_for(n)), n_whole(n), rest_lanes(0) {
            const unsigned rest = n % lanes;
            if (rest > 0 && rest <= lanes / 2 && lanes > 4) {
                n_whole -= rest;
                rest_lanes = rest <= 4 ? 4 : 8;
            }
        }
    };

    [[nodiscard]] __device__ bool is_rest(int t) const {
        return t == most_tile - 1 && parts_.rest_lanes > 0;
    }

    /// Returns the place of the lane's t-th target among all.
    [[nodiscard]] __device__ unsigned place(int t) const {
        return is_rest(t) ? parts_.n_whole + threadIdx.x % parts_.rest_lanes : shape_.place(t);
    }

    /// Gathers sources. Places beyond the last, up to a multiple of a warp, repeat it without
    /// strength.
    /// \returns those that are targets of the tile
    template <class Stream>
    __device__ OwnSources
    gather(const Stream& stream, unsigned first, unsigned n, GatheredRoom<K>& room) const {
        OwnSources own;
        constexpr unsigned turns = 2; // on their way before the first is needed
        const unsigned lane = threadIdx.x % warp_lanes;
#pragma unroll
        for (unsigned begin = 0; begin < gathered_sources; begin += turns * warp_lanes) {
            StreamSource<K> sources[turns];
#pragma unroll
            for (unsigned turn = 0; turn < turns; ++turn) {
                const unsigned i = begin + turn * warp_lanes + lane;
                if (begin + turn * warp_lanes < n) {
                    sources[turn] = stream.source(first + (i < n ? i : n - 1));
                }
            }
#pragma unroll
            for (unsigned turn = 0; turn < turns; ++turn) {
                const unsigned i = begin + turn * warp_lanes + lane;
                if (begin + turn * warp_lanes < n) {
                    room.template store<form>(i, sources[turn].at, centre_);
                    visit_components(sources[turn].strength, [&](int c, Real part) {
                        room.strengths[c][i] = i < n ? part : 0;
                    });
                    if constexpr (acts_on_itself<K>) {
                        const unsigned number = sources[turn].number;
                        const bool is_own = i < n && number - begin_ < end_ - begin_;
                        own.look_at(begin + turn * warp_lanes, is_own, number);
                    }
                }
            }
        }
        return own;
    }

    /// Adds sources by the loop of the shape's tile, and to the rest by a loop of its own.
    template <int... before>
    __device__ void
    add(const GatheredRoom<K>& room,
        const OwnSources& own,
        unsigned n,
        std::integer_sequence<int, before...> /*tiles*/) {
        static_cast<void>(
            ((shape_.tile == before + 1 && (add<0, before + 1>(shape_, room, own, n), true)) || ...)
        );
        if (parts_.rest_lanes > 0) {
            add<most_tile - 1, 1>(LaneShape<most_tile>(parts_.rest_lanes, 1), room, own, n);
        }
    }

    /// Adds sources to a lane's targets [begin, begin + tile), to none itself.
    template <int begin, int tile>
    __device__ void
    add(const LaneShape<most_tile>& shape,
        const GatheredRoom<K>& room,
        const OwnSources& own,
        unsigned n) {
        if constexpr (acts_on_itself<K> && meets_itself_apart<K>) {
            const unsigned own_begin = own.begin & -shape.round();
            const unsigned own_end = shape.rounded_up(own.end);
#pragma unroll 1
            for (unsigned part = 0; part < 2; ++part) { // one loop for what lies before and behind
                add<begin, tile>(
                    shape,
                    room,
                    {part == 0 ? 0 : own_end, part == 0 ? own_begin : shape.rounded_up(n)}
                );
            }
            add_own<begin, tile>(shape, room, own, {own_begin, own_end});
        } else if constexpr (acts_on_itself<K>) {
            unsigned places[tile];
#pragma unroll
            for (int t = 0; t < tile; ++t) {
                places[t] = own.place(number(begin + t));
            }
            shape.for_each_source(0, shape.rounded_up(n), [&](unsigned i, unsigned /*u*/) {
                add_source<begin, tile>(room, i, [&](int t) { return i == places[t - begin]; });
            });
        } else {
            add<begin, tile>(shape, room, {0, shape.rounded_up(n)});
        }
    }

    /// Adds sources that are none of the targets.
    template <int begin, int tile>
    __device__ void
    add(const LaneShape<most_tile>& shape, const GatheredRoom<K>& room, const StagePart& part) {
        shape.for_each_source(part.begin, part.end, [&](unsigned i, unsigned /*u*/) {
            add_source<begin, tile>(room, i, [](int /*t*/) { return false; });
        });
    }

    /// Adds sources with targets among them: such sources are fewer, and their loop is shorter.
    template <int begin, int tile>
    __device__ void add_own(
        const LaneShape<most_tile>& shape,
        const GatheredRoom<K>& room,
        const OwnSources& own,
        const StagePart& part
    ) {
#pragma unroll 1
        for (unsigned i = part.begin + shape.source_lane; i < part.end; i += shape.packs) {
            add_source<begin, tile>(room, i, [&](int t) { return i == own.place(number(t)); });
        }
    }

    /// Adds source `i` to those targets that it is not.
    template <int begin, int tile, class IsTarget>
    __device__ void add_source(const GatheredRoom<K>& room, unsigned i, const IsTarget& is_target) {
        const auto source = room.template point<form>(i);
        const auto q = room.strength(i);
#pragma unroll
        for (int t = begin; t < begin + tile; ++t) {
            const Position<D, Real> d = displacement(z_[t], source);
            const auto others = is_target(t) ? decltype(q){} : q;
            sum_[t] += pair_in_form<form>(kernel_, Position<D, Real>{}, d, others);
        }
    }

    /// Returns the number of the lane's t-th target among the task's, or one beyond the tile's.
    [[nodiscard]] __device__ unsigned number(int t) const {
        return begin_ + place(t);
    }

    [[no_unique_address]] K kernel_;
    Parts parts_;
    LaneShape<most_tile> shape_;
    unsigned begin_; ///< first target of the tile, and behind its last
    unsigned end_;
    Position<D, double> centre_;
    Point z_[most_tile];
    typename K::template Value<Real> sum_[most_tile];
};

/// Returns the largest difference of a coordinate between a tile's targets and its first one,
/// rounded up to less than twice as much; the same in all lanes.
template <int D>
__device__ double reach_from(const Position<D, double>& first, const TargetTile<D>& tile) {
    unsigned extent = 0;
    for (unsigned i = tile.begin + threadIdx.x % warp_lanes; i < tile.end; i += warp_lanes) {
#pragma unroll
        for (int d = 0; d < D; ++d) {
            const unsigned x = magnitude_word(tile.points.x[d][i] - coordinate(first, d));
            extent = extent > x ? extent : x;
        }
    }
    return __hiloint2double(static_cast<int>(greatest_of_warp(extent)), -1);
}

/// Sums over a stream for a tile's targets, by the form of pairs that serves them, as seen from the
/// first target.
template <class K, class Stream>
__device__ void sum_gathered(
    const K& kernel, const TargetTile<dimension_of<K>>& tile, Stream& stream, GatheredRoom<K>& room
) {
    const auto first = tile.points[tile.begin];
    const auto sum = [&](auto&& targets) {
        targets.add_all(stream, room);
        targets.store_sums(room);
    };
    if constexpr (has_softening<K>) {
        if (may_round_pairs(kernel, 2 * reach_from<dimension_of<K>>(first, tile))) {
            return sum(GatheredTargets<K, PairForm::rounded>(kernel, tile, first));
        }
    }
    sum(GatheredTargets<K, PairForm::split>(kernel, tile, first));
}

} // namespace starfmm
