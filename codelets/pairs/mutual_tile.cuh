// SPDX-License-Identifier: BSD-3-Clause
// A warp's tile of points that meets others for both: Newton's third law, without a reduction.
//
// A group of lanes holds targets of a leaf, a few a lane, and meets as many sources as it has
// lanes: each lane meets another one, and hands what that source gets on to the next lane. After as
// many steps as lanes every source has met every target, and what it gets is back where it began.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/pairs/pair_form.hpp"
#include "codelets/pairs/pair_tile.cuh"
#include "codelets/task/task_views.hpp"

#include <cuda_pipeline.h>

#include <type_traits>

namespace starfmm {

/// Returns c + a b, in fused operations.
template <class Real>
__device__ Real add_product(const Real& c, const Real& a, const Real& b) {
    return c + a * b;
}

template <class Real>
__device__ Complex<Real>
add_product(const Complex<Real>& c, const Real& a, const Complex<Real>& b) {
    return {c.re + a * b.re, c.im + a * b.im};
}

template <class Real>
__device__ Complex<Real>
add_product(const Complex<Real>& c, const Complex<Real>& a, const Complex<Real>& b) {
    return {c.re + a.re * b.re - a.im * b.im, c.im + a.re * b.im + a.im * b.re};
}

template <class Real>
__device__ Vector3<Real>
add_product(const Vector3<Real>& c, const Real& a, const Vector3<Real>& b) {
    return {c.x + a * b.x, c.y + a * b.y, c.z + a * b.z};
}

template <class Real, int D>
__device__ WithGradient<Real, D>
add_product(const WithGradient<Real, D>& c, const Real& a, const WithGradient<Real, D>& b) {
    return {add_product(c.potential, a, b.potential), add_product(c.gradient, a, b.gradient)};
}

/// Adds as ValueView::add does, beside others that add to the same value.
template <class K>
__device__ void add_atomically(
    const ValueView<K>& values,
    std::size_t i,
    const typename K::template Value<typename K::Real>& value
) {
    visit_components(value, [&](int c, const typename K::Real& part) {
        atomicAdd(values.of_component[c] + i, part);
    });
}

/// Returns a value of another lane.
/// \param value  value of the lane that is `distance` further on in the group of `lanes`
template <int lanes, class Value>
__device__ Value from_further(const Value& value, unsigned distance) {
    const unsigned lane = threadIdx.x % warp_lanes;
    return from_lane(value, static_cast<int>(lane / lanes * lanes + (lane + distance) % lanes));
}

/// A point as a tile's pairs need it: split where that is needed, or rounded as seen from a place
/// nearby.
template <class K, PairForm form>
using MetPoint = std::conditional_t<
    form == PairForm::rounded,
    Position<dimension_of<K>, typename K::Real>,
    WarpPoint<K>>;

/// Makes such points.
template <class K, PairForm form>
struct PointReader {
    Position<dimension_of<K>, double> origin; ///< where rounded points are seen from

    __device__ MetPoint<K, form> operator()(const Position<dimension_of<K>, double>& point) const {
        if constexpr (form == PairForm::rounded) {
            return seen_from<typename K::Real>(origin, point);
        } else {
            return pair_point<typename K::Real>(point);
        }
    }
};

/// Loads a point, in one load if it is of the plane.
__device__ inline Complex<double> load_point(const Complex<double>* z) {
    return load_coefficient(z);
}

__device__ inline SplitPosition<Complex<float>> load_point(const SplitPosition<Complex<float>>* z) {
    const float4 parts = *reinterpret_cast<const float4*>(z);
    return {{parts.x, parts.y}, {parts.z, parts.w}};
}

template <class Point>
__device__ Point load_point(const Point* v) {
    return *v;
}

/// Returns where coordinate `d` is.
__device__ inline double* coordinate_place(Complex<double>& z, int d) {
    return d == 0 ? &z.re : &z.im;
}

__device__ inline double* coordinate_place(Vector3<double>& v, int d) {
    return d == 0 ? &v.x : d == 1 ? &v.y : &v.z;
}

/// A source that a tile meets.
template <class K, PairForm form>
struct MetSource {
    MetPoint<K, form> point;
    typename K::template Strength<typename K::Real> strength;
};

/// Returns the place of the lane's own source in a round; those `lanes` further on are the same
/// again.
template <int lanes>
__device__ unsigned place_in_round() {
    const unsigned lane = threadIdx.x % warp_lanes;
    return lane + lane / lanes * lanes;
}

/// The sources that a warp meets at once, one a lane: those of each group of lanes lie there twice
/// in a row, so that lanes that start anywhere need not wrap around.
template <class K, int lanes, PairForm form = PairForm::split>
struct alignas(16) SourceRound {
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Strength = typename K::template Strength<Real>;
    WarpPoint<K> points[2 * warp_lanes];
    Strength strengths[2 * warp_lanes];

    __device__ static unsigned place() { return place_in_round<lanes>(); }

    [[nodiscard]] __device__ MetSource<K, form> source(unsigned i) const {
        return {load_point(points + i), strengths[i]};
    }

    __device__ void store(const WarpPoint<K>& point, const Strength& strength) {
        const unsigned i = place();
        points[i] = points[i + lanes] = point;
        strengths[i] = strengths[i + lanes] = strength;
    }

    /// Begins to copy source `from` of a group's arrays; in single precision the source is split
    /// and stored at once.
    __device__ void fetch(
        const PointView<D>& from_points,
        const StrengthView<K>& from_strengths,
        unsigned from,
        const PointReader<K, form>& reader
    ) {
        if constexpr (std::is_same_v<Real, double>) {
            for (const unsigned i : {place(), place() + lanes}) {
#pragma unroll
                for (int d = 0; d < D; ++d) {
                    double* const place = coordinate_place(points[i], d);
                    __pipeline_memcpy_async(place, from_points.x[d] + from, sizeof(Real));
                }
                visit_components(strengths[i], [&](int c, Real& part) {
                    const Real* component = from_strengths.of_component[c];
                    __pipeline_memcpy_async(&part, component + from, sizeof(Real));
                });
            }
        } else {
            store(reader(from_points[from]), from_strengths[from]);
        }
    }
};

/// The same with rounded points: a source takes one word of 16 bytes, which one load brings.
template <class K, int lanes>
struct SourceRound<K, lanes, PairForm::rounded> {
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Strength = typename K::template Strength<Real>;
    static_assert(D + n_strength_components<K> <= 4 && sizeof(Real) == sizeof(float));
    float4 words[2 * warp_lanes];

    __device__ static unsigned place() { return place_in_round<lanes>(); }

    [[nodiscard]] __device__ MetSource<K, PairForm::rounded> source(unsigned i) const {
        const float4 word = words[i];
        const float parts[4]{word.x, word.y, word.z, word.w};
        MetSource<K, PairForm::rounded> source;
        source.point = make_position<D>([&](int d) { return parts[d]; });
        visit_components(source.strength, [&](int c, float& part) { part = parts[D + c]; });
        return source;
    }

    __device__ void store(const Position<D, Real>& point, const Strength& strength) {
        float parts[4]{};
#pragma unroll
        for (int d = 0; d < D; ++d) {
            parts[d] = coordinate(point, d);
        }
        visit_components(strength, [&](int c, float part) { parts[D + c] = part; });
        const unsigned i = place();
        words[i] = words[i + lanes] = make_float4(parts[0], parts[1], parts[2], parts[3]);
    }

    __device__ void fetch(
        const PointView<D>& from_points,
        const StrengthView<K>& from_strengths,
        unsigned from,
        const PointReader<K, PairForm::rounded>& reader
    ) {
        store(reader(from_points[from]), from_strengths[from]);
    }
};

/// The targets of a lane.
template <class K, int tile, PairForm form = PairForm::split>
struct MutualTargets {
    using Real = typename K::Real;
    MetPoint<K, form> points[tile];
    /// Strengths, none where there is no target.
    typename K::template Strength<Real> strengths[tile];
    typename K::template Value<Real> sums[tile];
};

/// The steps without a branch: 8 take 3 % less than 4, 16 as long as 8.
inline constexpr int unrolled_steps = 8;

/// Lets the first `met` targets of every lane meet `steps` sources of its group, the first of them
/// `first` lanes further on; the first `both` of these targets meet the sources for both. Returns
/// what the source `first` + `steps` lanes further on gets from all lanes, but for the sign of the
/// reaction.
template <class K, class Shape, int both, int met, int steps, PairForm form>
__device__ typename K::template Value<typename K::Real> meet(
    const SourceRound<K, Shape::lanes, form>& sources,
    unsigned first,
    MutualTargets<K, Shape::tile, form>& targets
) {
    using Value = typename K::template Value<typename K::Real>;
    const unsigned begin = sources.place() + first;
    Value reaction{};
#pragma unroll(unrolled_steps)
    for (int s = 0; s < steps; ++s) {
        const MetSource<K, form> source = sources.source(begin + s);
#pragma unroll
        for (int t = 0; t < met; ++t) {
            const Value value = K::pair(displacement(targets.points[t], source.point));
            targets.sums[t] = add_product(targets.sums[t], source.strength, value);
            if (t < both) {
                reaction = add_product(reaction, targets.strengths[t], value);
            }
        }
        if constexpr (both > 0) {
            reaction = from_further<Shape::lanes>(reaction, 1);
        }
    }
    return reaction;
}

/// Returns what a source gets: what it gave, with the sign of the kernel's parity.
template <class K, class Value>
__device__ Value reacted(const Value& value) {
    if constexpr (has_gradient<K>) {
        return {value.potential, -value.gradient};
    } else {
        return K::parity < 0 ? -value : value;
    }
}

/// Lets the lanes' targets meet each other: tile by tile, those before it for both, its own each
/// for itself. Groups of lanes share the steps.
template <class K, class Shape, int tile = 0, PairForm form>
__device__ void meet_each_other(
    MutualTargets<K, Shape::tile, form>& targets, SourceRound<K, Shape::lanes, form>& round
) {
    if constexpr (tile < Shape::tile) {
        constexpr int steps = Shape::lanes * Shape::lanes / warp_lanes;
        const unsigned first = threadIdx.x % warp_lanes / Shape::lanes * steps;
        __syncwarp();
        round.store(targets.points[tile], targets.strengths[tile]);
        __syncwarp();
        const auto reaction = meet<K, Shape, tile, tile + 1, steps>(round, first, targets);
        if constexpr (tile > 0) {
            const unsigned back = Shape::lanes - (first + steps);
            targets.sums[tile] += reacted<K>(from_further<Shape::lanes>(reaction, back));
        }
        meet_each_other<K, Shape, tile + 1>(targets, round);
    }
}

} // namespace starfmm
