// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of pairs in single precision: sources that a warp has rounded, and its lanes' sums
// over them.
#pragma once

#include "codelets/pairs/lane_targets.cuh"
#include "core/laws/mixed_pairs.hpp"

namespace starfmm {

/// Rounds as a cast does, which the compiler would rather repeat for each pair than keep the result
/// of.
__device__ inline float rounded_once(double x) {
    float rounded;
    asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(rounded) : "d"(x));
    return rounded;
}

/// Returns the upper word of the magnitude of a double: the exponent, which is above zero if the
/// double is no subnormal.
__device__ inline unsigned magnitude_word(double x) {
    return static_cast<unsigned>(__double2hiint(x)) & 0x7fffffffU;
}

/// Returns 1 / x for a power of two, without a division.
__device__ inline double inverse_power(double x) {
    return __hiloint2double(0x7fe00000 - __double2hiint(x), 0);
}

/// Returns the power of two above a magnitude, that of the largest of all lanes.
__device__ inline double power_above(unsigned word) {
    return __hiloint2double(static_cast<int>((word & 0x7ff00000U) + 0x00100000U), 0);
}

/// The units by which a warp's targets and sources are rounded, the same in all lanes.
struct RoundingFrame {
    Vector3<double> middle;
    MixedUnits units;
    bool can_round; ///< false if all pairs are formed in double
};

/// The sources that a warp computes with at a time: work done once for all of them, such as adding
/// up in double precision, costs little beside their pairs, and sums over a lane's share of them
/// keep their digits. There are fewer with several right-hand sides, whose strengths and sums fill
/// shared memory.
template <class K>
inline constexpr unsigned rounded_sources = columns_at_once<K> > 1 ? 128 : 256;

/// The sources of a stage in single precision.
template <class K>
struct RoundedStage {
    using Real = PairReal<K>;
    static constexpr int D = dimension_of<K>;
    alignas(16) Real x[D][rounded_sources<K>];
    alignas(16) Real strengths[n_strength_components<K>][rounded_sources<K>];

    /// The largest magnitudes of a lane's sources.
    struct Largest {
        unsigned coordinate = 0; ///< bits, which order what is not a number, too
        unsigned strength = 0;

        /// Whether the magnitudes keep pairs within Real's range.
        [[nodiscard]] __device__ bool is_in_range() const {
            return coordinate <= __float_as_uint(static_cast<Real>(mixed_farthest)) &&
                   strength <= __float_as_uint(static_cast<Real>(mixed_strongest));
        }
    };

    /// Stores source `i`.
    __device__ void store(
        unsigned i,
        const Position<D, double>& source,
        const typename K::template Strength<double>& strength,
        const RoundingFrame& frame,
        Largest& largest
    ) {
        const auto round = [](double value, double unit, unsigned& most) {
            const auto scaled = static_cast<Real>(value * inverse_power(unit));
            most = max(most, __float_as_uint(fabs(scaled)));
            return scaled;
        };
#pragma unroll
        for (int d = 0; d < D; ++d) {
            const double seen = coordinate(source, d) - coordinate(frame.middle, d);
            x[d][i] = round(seen, frame.units.length, largest.coordinate);
        }
        visit_components(strength, [&](int c, double part) {
            strengths[c][i] = round(part, frame.units.strength, largest.strength);
        });
    }

    /// Stores a source without strength, far from any other.
    __device__ void store_idle(unsigned i) {
#pragma unroll
        for (int d = 0; d < D; ++d) {
            x[d][i] = 2 * static_cast<Real>(mixed_farthest);
        }
#pragma unroll
        for (int c = 0; c < n_strength_components<K>; ++c) {
            strengths[c][i] = 0;
        }
    }

    __device__ Position<D, Real> point(unsigned i) const {
        return make_position<D>([&](int d) { return x[d][i]; });
    }

    __device__ typename K::template Strength<Real> strength(unsigned i) const {
        typename K::template Strength<Real> q;
        visit_components(q, [&](int c, Real& part) { part = strengths[c][i]; });
        return q;
    }
};

/// A collector, in all lanes of a warp, of the numbers that a RoundingFrame follows from.
template <class K>
class RoundingScout {
public:
    static constexpr int D = dimension_of<K>;

    /// Begins with the middle of the lanes' `tile` targets each.
    template <int tile>
    __device__ explicit RoundingScout(const Position<D, double> (&z)[tile]) {
        const auto find = [&](int d) {
            double low = coordinate(z[0], d);
            double high = low;
#pragma unroll
            for (int t = 1; t < tile; ++t) {
                low = fmin(low, coordinate(z[t], d));
                high = fmax(high, coordinate(z[t], d));
            }
            for (int offset = 1; offset < warp_lanes; offset *= 2) {
                low = fmin(low, other_lane(low, offset));
                high = fmax(high, other_lane(high, offset));
            }
            const unsigned extent = magnitude_word(high - low);
            extent_ = extent_ > extent ? extent_ : extent;
            return low + 0.5 * (high - low);
        };
        middle_ = make_position<D>(find);
    }

    /// Takes one of the lane's sources.
    __device__ void
    look_at(const PointView<D>& points, const StrengthView<K>& strengths, std::size_t i) {
#pragma unroll
        for (int d = 0; d < D; ++d) {
            const unsigned x = magnitude_word(points.x[d][i] - coordinate(middle_, d));
            extent_ = extent_ > x ? extent_ : x;
        }
#pragma unroll
        for (int c = 0; c < n_strength_components<K>; ++c) {
            const unsigned q = magnitude_word(strengths.of_component[c][i]);
            strength_ = strength_ > q ? strength_ : q;
        }
    }

    [[nodiscard]] __device__ RoundingFrame frame(const K& kernel) const {
        constexpr unsigned normal = 0x00100000U;
        const double softening = softening_of(kernel);
        const unsigned extent = greatest_of_warp(max(extent_, magnitude_word(softening)));
        const unsigned strength = greatest_of_warp(strength_);
        const MixedUnits units{power_above(extent), power_above(strength)};
        const bool is_normal = extent >= normal && strength >= normal;
        return {middle_, units, is_normal && may_soften_mixed(softening, units)};
    }

private:
    Position<D, double> middle_;
    unsigned extent_ = 0; ///< upper words of magnitudes
    unsigned strength_ = 0;
};

/// The places of a stage whose sources are among a tile's targets, which follow each other.
struct OwnSources {
    unsigned begin = 0;
    unsigned end = 0;
    unsigned first = 0; ///< number of the first one in the targets' array

    /// Returns the place of a target, or no_target where it is none of the sources: others lie
    /// beside them.
    [[nodiscard]] __device__ unsigned place(unsigned number) const {
        const unsigned i = number - first;
        return i < end - begin ? begin + i : no_target;
    }

    /// Learns of 32 sources from `at` on, one a lane.
    __device__ void look_at(unsigned at, bool is_own, unsigned number) {
        const std::uint32_t own = __ballot_sync(0xffffffffU, is_own);
        if (own == 0) {
            return;
        }
        if (begin == end) {
            const int lane = __ffs(static_cast<int>(own)) - 1;
            begin = at + lane;
            first = from_lane(number, lane);
        }
        end = at + warp_lanes - __clz(static_cast<int>(own));
    }
};

/// The sources of a part of a stage.
struct StagePart {
    unsigned begin;
    unsigned end;
};

/// The sums in single precision of a lane's `tile` targets over its part of a stage.
template <class K, int tile>
struct RoundedSums {
    using Real = PairReal<K>;
    using Point = Position<dimension_of<K>, Real>;
    using Shape = LaneShape<most_tile<K>>;
    typename K::template Value<Real> of[tile];

    /// The square of the distance of the closest other source: bits of floats that are not negative
    /// compare as they do, and three of them in one instruction.
    unsigned closest[tile];

    __device__ RoundedSums() {
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            of[t] = {};
            closest[t] = __float_as_uint(1);
        }
    }

    /// Adds sources none of which is a target.
    /// \param z  the lane's targets, and others
    __device__ void
    add(const MixedKernel<K>& kernel,
        const RoundedStage<K>& stage,
        const StagePart& part,
        const Shape& shape,
        const Point* z) {
        unsigned before[tile];
        shape.for_each_source(part.begin, part.end, [&](unsigned i, unsigned u) {
            const auto source = stage.point(i);
            const auto q = stage.strength(i);
#pragma unroll
            for (int t = 0; t < tile; ++t) {
                const auto d = displacement(z[t], source);
                const unsigned distance = __float_as_uint(square(d));
                closest[t] =
                    u % 2 == 1 ? __vimin3_u32(closest[t], before[t], distance) : closest[t];
                before[t] = distance;
                of[t] += mixed_pair(kernel, Point{}, d, q);
            }
        });
    }

    /// Adds sources with targets among them, but for what these do to themselves: such sources are
    /// fewer, and their loop is shorter.
    /// \param own  place of the lane's t-th target among the sources, if it is there
    template <class Own>
    __device__ void add_own(
        const MixedKernel<K>& kernel,
        const RoundedStage<K>& stage,
        const StagePart& part,
        const Shape& shape,
        const Point* z,
        const Own& own
    ) {
#pragma unroll 1
        for (unsigned i = part.begin + shape.source_lane; i < part.end; i += shape.packs) {
            const auto source = stage.point(i);
            const auto q = stage.strength(i);
#pragma unroll
            for (int t = 0; t < tile; ++t) {
                const auto d = displacement(z[t], source);
                const unsigned distance = __float_as_uint(square(d));
                const bool is_own = i == own(t);
                closest[t] = is_own || closest[t] < distance ? closest[t] : distance;
                of[t] += kernel.p2p({}, d, acts_on_itself<K> && is_own ? decltype(q){} : q);
            }
        }
    }

    /// Whether no pair of the lane is too close for single precision.
    [[nodiscard]] __device__ bool are_valid(const MixedKernel<K>& kernel, const Point* z) const {
        const auto softening = static_cast<Real>(softening_of(kernel));
        bool all = true;
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            const Real softened = __uint_as_float(closest[t]) + softening * softening;
            all = all && softened > mixed_closest_square(z[t]);
        }
        return all;
    }
};

/// Calls add(component, part in double) with a sum in units of a frame.
template <class K, class Add>
__device__ void visit_in_units(
    const typename K::template Value<PairReal<K>>& sum, const MixedUnits& units, const Add& add
) {
    constexpr int n = n_value_components<K>;
    const double per_length = inverse_power(units.length);
    const double potential = units.strength * per_length;
    const double gradient = potential * per_length;
    visit_components(sum, [&](int c, const PairReal<K>& part) {
        add(c, (c % (n / columns_at_once<K>) == 0 ? potential : gradient) * part);
    });
}

} // namespace starfmm
