// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of pairs in single precision: sources that a warp has rounded, and its lanes' sums over
// them.
#pragma once

#include "codelets/pairs/lane_targets.cuh"
#include "core/laws/mixed_pairs.hpp"

namespace starfmm {

/// As a cast, which the compiler would rather repeat for each pair than keep the result of.
__device__ inline float rounded_once(double x) {
    float rounded;
    asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(rounded) : "d"(x));
    return rounded;
}

/// Upper word of the magnitude of a double: the exponent, and above zero if that is no subnormal.
__device__ inline unsigned magnitude_word(double x) {
    return static_cast<unsigned>(__double2hiint(x)) & 0x7fffffffU;
}

/// 1 / x of a power of two, without a division.
__device__ inline double inverse_power(double x) {
    return __hiloint2double(0x7fe00000 - __double2hiint(x), 0);
}

/// The power of two above a magnitude, of the largest of all lanes.
__device__ inline double power_above(unsigned word) {
    return __hiloint2double(static_cast<int>((word & 0x7ff00000U) + 0x00100000U), 0);
}

/// Number of a source that is not among the targets' array.
inline constexpr unsigned no_target = ~0U;

/// What a warp's targets and sources are rounded with: the same in all lanes.
struct RoundingFrame {
    Vector3<double> middle;
    MixedUnits units;
    bool can_round; ///< false: all pairs are formed in double
};

/// Sources that a warp computes with at a time: what is done once for them, such as adding up in
/// double, costs little beside their pairs, and sums over a lane's share of them keep their digits.
inline constexpr unsigned rounded_sources = 128;

/// These sources, in single precision.
template <class K>
struct RoundedStage {
    using Real = PairReal<K>;
    static constexpr int D = dimension_of<K>;
    alignas(16) Real x[D][rounded_sources];
    alignas(16) Real strengths[n_strength_components<K>][rounded_sources];
    alignas(16) unsigned numbers[rounded_sources]; ///< among the targets' array, or no_target

    /// Source `i`. \returns whether it is of a size that keeps pairs within Real's range
    __device__ bool store(
        unsigned i,
        const Position<D, double>& source,
        const typename K::template Strength<double>& strength,
        const RoundingFrame& frame
    ) {
        bool in_range = true;
        const auto round = [&](double value, double unit, double largest) {
            const double scaled = value * inverse_power(unit);
            in_range = in_range && fabs(scaled) <= largest;
            return static_cast<Real>(scaled);
        };
#pragma unroll
        for (int d = 0; d < D; ++d) {
            const double seen = coordinate(source, d) - coordinate(frame.middle, d);
            x[d][i] = round(seen, frame.units.length, mixed_farthest);
        }
        visit_components(strength, [&](int c, double part) {
            strengths[c][i] = round(part, frame.units.strength, mixed_strongest);
        });
        return in_range;
    }

    /// A source without strength, far from any other.
    __device__ void store_idle(unsigned i) {
#pragma unroll
        for (int d = 0; d < D; ++d) {
            x[d][i] = 2 * static_cast<Real>(mixed_farthest);
        }
#pragma unroll
        for (int c = 0; c < n_strength_components<K>; ++c) {
            strengths[c][i] = 0;
        }
        numbers[i] = no_target;
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

/// Collects, in all lanes of a warp, what a RoundingFrame follows from.
template <class K>
class RoundingScout {
public:
    static constexpr int D = dimension_of<K>;

    /// The middle of the lanes' `tile` targets each.
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

    /// One of the lane's sources.
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

    [[nodiscard]] __device__ RoundingFrame frame() const {
        constexpr unsigned normal = 0x00100000U;
        const unsigned extent = greatest_of_warp(extent_);
        const unsigned strength = greatest_of_warp(strength_);
        return {
            middle_,
            {power_above(extent), power_above(strength)},
            extent >= normal && strength >= normal};
    }

private:
    Position<D, double> middle_;
    unsigned extent_ = 0; ///< upper words of magnitudes
    unsigned strength_ = 0;
};

/// Sums in single precision of a lane's `tile` targets over its part of a stage.
template <class K, int tile>
struct RoundedSums {
    using Real = PairReal<K>;
    using Point = Position<dimension_of<K>, Real>;
    using Shape = LaneShape<most_tile<K>>;
    typename K::template Value<Real> of[tile];
    Real closest[tile]; ///< square of the distance of the closest other source

    __device__ RoundedSums() {
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            of[t] = {};
            closest[t] = 1;
        }
    }

    /// Of sources none of which is a target.
    /// \param z the lane's targets, and others
    __device__ void
    add(const RoundedStage<K>& stage, unsigned n, const Shape& shape, const Point* z) {
#pragma unroll 1
        for (unsigned j = 2 * shape.source_lane(); j < n; j += shape.round()) {
#pragma unroll
            for (unsigned u = 0; u < 2; ++u) {
                const auto source = stage.point(j + u);
                const auto q = stage.strength(j + u);
#pragma unroll
                for (int t = 0; t < tile; ++t) {
                    const auto d = displacement(z[t], source);
                    closest[t] = fminf(closest[t], square(d));
                    of[t] += mixed_pair<K>(Point{}, d, q);
                }
            }
        }
    }

    /// Of sources with targets among them: rarer, and a shorter loop.
    /// \param number of the lane's t-th target in its array
    template <class Number>
    __device__ void add_own(
        const RoundedStage<K>& stage,
        unsigned n,
        const Shape& shape,
        const Point* z,
        const Number& number
    ) {
#pragma unroll 1
        for (unsigned j = shape.source_lane(); j < n; j += warp_lanes / shape.lanes) {
            const auto source = stage.point(j);
            const auto q = stage.strength(j);
            const unsigned own = stage.numbers[j];
#pragma unroll
            for (int t = 0; t < tile; ++t) {
                const auto d = displacement(z[t], source);
                closest[t] = own == number(t) ? closest[t] : fminf(closest[t], square(d));
                of[t] += K{}.p2p({}, d, q);
            }
        }
    }

    /// Whether no pair of the lane is too close for single precision.
    [[nodiscard]] __device__ bool are_valid(const Point* z) const {
        bool all = true;
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            all = all && closest[t] > mixed_closest_square(z[t]);
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
