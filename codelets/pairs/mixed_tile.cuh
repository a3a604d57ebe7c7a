// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of pairs in single precision: a warp rounds each stage of its sources, forms the
// pairs, and adds them up in double precision. Stages with pairs that are too close are formed in
// double precision.
#pragma once

#include "codelets/pairs/lane_targets.cuh"
#include "codelets/pairs/rounded_stage.cuh"

#include <utility>

namespace starfmm {

/// A source of a stream.
template <class K>
struct StreamSource {
    Position<dimension_of<K>, double> at;
    typename K::template Strength<typename K::Real> strength;
    unsigned number; ///< its number among the task's targets, or no_target

    __device__ static StreamSource
    of(const PointView<dimension_of<K>>& points,
       const StrengthView<K>& strengths,
       std::size_t i,
       std::int64_t self) {
        return {points[i], strengths[i], target_number(i, self)};
    }
};

/// The shared memory of a warp: the sources of a stage, and its lanes' sums.
template <class K>
struct alignas(16) MixedRoom {
    static constexpr int n_values = n_value_components<K>;
    using Value = typename K::template Value<double>;
    using Shape = LaneShape<most_tile<K>>;
    RoundedStage<K> stage;
    double sums[most_tile<K>][n_values][warp_lanes];

    /// Returns the sum of target `i` over all lanes that have it.
    [[nodiscard]] __device__ Value sum(const Shape& shape, unsigned i) const {
        Value value;
        visit_components(value, [&](int c, double& part) {
            part = 0;
            for (unsigned lane = i % shape.lanes; lane < warp_lanes; lane += shape.lanes) {
                part += sums[i / shape.lanes][c][lane];
            }
        });
        return value;
    }
};

/// The lane's targets and their sums for pairs in single precision, as LaneTargets are for others.
/// A stream has next(), which turns to the next sources, or returns false; size(), their number;
/// and source(i), which all lanes call, with an i that ascends from lane to lane by one or not at
/// all.
template <class K>
class MixedLaneTargets {
public:
    static constexpr int D = dimension_of<K>;
    using Shape = LaneShape<most_tile<K>>;

    template <class Stream>
    __device__ MixedLaneTargets(
        const K& kernel, const TargetTile<D>& targets, const Stream& stream, MixedRoom<K>& room
    )
        : kernel_(kernel), targets_(targets), shape_(targets.end - targets.begin), room_(room) {
        Position<D, double> exact[most_tile<K>];
#pragma unroll
        for (int t = 0; t < most_tile<K>; ++t) {
            exact[t] = targets.points[number(t)];
        }
        RoundingScout<K> scout(exact);
        stream.show_sources(scout);
        frame_ = scout.frame(kernel);
        const double factor = inverse_power(frame_.units.length);
        pairs_ = mixed_kernel(kernel, factor);
#pragma unroll
        for (int t = 0; t < most_tile<K>; ++t) {
            const auto seen = factor * (exact[t] - frame_.middle);
            z_[t] = make_position<D>([&](int d) { return rounded_once(coordinate(seen, d)); });
#pragma unroll
            for (int c = 0; c < MixedRoom<K>::n_values; ++c) {
                room.sums[t][c][threadIdx.x % warp_lanes] = 0;
            }
        }
    }

    template <class Stream>
    __device__ void add_all(Stream& stream) const {
        while (stream.next()) {
            for (unsigned first = 0; first < stream.size(); first += rounded_sources<K>) {
                const unsigned rest = stream.size() - first;
                add(stream, first, rest < rounded_sources<K> ? rest : rounded_sources<K>);
            }
        }
    }

private:
    /// The properties that a lane has seen of a stage's sources.
    struct Seen {
        OwnSources own;
        bool in_range;
    };

    template <class Stream>
    __device__ void add(const Stream& stream, unsigned first, unsigned n) const {
        const unsigned rounded = shape_.rounded_up(n);
        __syncwarp(); // the sources of the last stage are done with
        const Seen seen = round_sources(stream, first, n, rounded);
        __syncwarp();
        if (!__all_sync(0xffffffffU, seen.in_range) ||
            !add_rounded(seen.own, rounded, std::make_integer_sequence<int, most_tile<K>>{})) {
            add_exact({kernel_, targets_, shape_}, stream, {first, first + n}, room_);
        }
    }

    template <class Stream>
    __device__ Seen
    round_sources(const Stream& stream, unsigned first, unsigned n, unsigned rounded) const {
        OwnSources own;
        typename RoundedStage<K>::Largest largest;
        for (unsigned begin = 0; begin < rounded; begin += warp_lanes) {
            const unsigned i = begin + threadIdx.x % warp_lanes;
            const auto source = stream.source(first + (i < n ? i : n - 1));
            const unsigned target = source.number - targets_.begin;
            const bool is_own = i < n && target < targets_.end - targets_.begin;
            own.look_at(begin, is_own, source.number);
            if (i < n) {
                room_.stage.store(i, source.at, source.strength, frame_, largest);
            } else if (i < rounded) {
                room_.stage.store_idle(i);
            }
        }
        return {own, frame_.can_round && largest.is_in_range()};
    }

    /// Adds rounded sources by the loop of the shape's tile.
    /// \returns whether the pairs are far enough apart: if not, nothing is added
    template <int... before>
    __device__ bool add_rounded(
        const OwnSources& own, unsigned n, std::integer_sequence<int, before...> /*tiles*/
    ) const {
        return ((shape_.tile == before + 1 && add_rounded<before + 1>(own, n)) || ...);
    }

    template <int tile>
    __device__ bool add_rounded(const OwnSources& own, unsigned n) const {
        RoundedSums<K, tile> sums;
        const unsigned own_begin = own.begin & -shape_.round();
        const unsigned own_end = shape_.rounded_up(own.end);
#pragma unroll 1
        for (unsigned part = 0; part < 2; ++part) { // one loop for what lies before and behind
            const unsigned begin = part == 0 ? 0 : own_end;
            const StagePart some{begin, part == 0 ? own_begin : n};
            sums.add(pairs_, room_.stage, some, shape_, z_);
        }
        sums.add_own(pairs_, room_.stage, {own_begin, own_end}, shape_, z_, [&](int t) {
            return own.place(number(t));
        });
        const bool valid = __all_sync(0xffffffffU, sums.are_valid(pairs_, z_));
        if (valid) {
#pragma unroll
            for (int t = 0; t < tile; ++t) {
                visit_in_units<K>(sums.of[t], frame_.units, [&](int c, double part) {
                    room_.sums[t][c][threadIdx.x % warp_lanes] += part;
                });
            }
        }
        return valid;
    }

    /// Returns the number of the lane's t-th target; the first one where the lane has none.
    [[nodiscard]] __device__ unsigned number(int t) const {
        return number_of(targets_, shape_, t);
    }

    __device__ static unsigned number_of(const TargetTile<D>& targets, const Shape& shape, int t) {
        const unsigned i = targets.begin + shape.place(t);
        return i < targets.end ? i : targets.begin;
    }

    /// The targets as pairs in double precision take them.
    struct ExactTargets {
        [[no_unique_address]] K kernel;
        TargetTile<D> tile;
        Shape shape;
    };

    /// Adds pairs in double precision, apart from the rest, as this is rarely called, and with
    /// copies of what stays in registers.
    template <class Stream>
    __device__ __noinline__ static void add_exact(
        const ExactTargets all, const Stream stream, const StagePart part, MixedRoom<K>& room
    ) {
        const TargetTile<D>& targets = all.tile;
        const Shape& shape = all.shape;
        const unsigned n = part.end - part.begin;
        const unsigned at_once = warp_lanes / shape.lanes;
        Position<D, double> z[most_tile<K>];
        typename K::template Value<double> sum[most_tile<K>];
#pragma unroll
        for (int t = 0; t < most_tile<K>; ++t) {
            z[t] = targets.points[number_of(targets, shape, t)];
            sum[t] = {};
        }
        for (unsigned begin = 0; begin < n; begin += at_once) {
            const unsigned i = begin + shape.source_lane;
            auto source = stream.source(part.begin + (i < n ? i : n - 1));
            visit_components(source.strength, [&](int, double& q) { q = i < n ? q : 0; });
#pragma unroll
            for (int t = 0; t < most_tile<K>; ++t) {
                const bool is_self =
                    acts_on_itself<K> && source.number == number_of(targets, shape, t);
                if (t < shape.tile && !is_self) {
                    sum[t] += all.kernel.p2p({}, displacement(z[t], source.at), source.strength);
                }
            }
        }
#pragma unroll
        for (int t = 0; t < most_tile<K>; ++t) {
            visit_components(sum[t], [&](int c, double own) {
                room.sums[t][c][threadIdx.x % warp_lanes] += own;
            });
        }
    }

    [[no_unique_address]] K kernel_;
    [[no_unique_address]] MixedKernel<K> pairs_;
    TargetTile<D> targets_;
    Shape shape_;
    MixedRoom<K>& room_;
    RoundingFrame frame_;
    Position<D, PairReal<K>> z_[most_tile<K>];
};

} // namespace starfmm
