// SPDX-License-Identifier: BSD-3-Clause
// Points and boxes spread over the lanes of a SIMD batch. CPU bodies only.
#pragma once

#include "codelets/simd/simd.hpp"
#include "codelets/task/task_views.hpp"
#include "core/laws/pair_point.hpp"

#include <cstddef>
#include <type_traits>

namespace starfmm {

template <class K, class B>
using LaneStrength = typename K::template Strength<B>;

template <class K, class B>
using LaneValue = typename K::template Value<B>;

/// Frame of one box in every lane.
template <class B, class Real>
Frame<B> same_frame(const Frame<Real>& frame) {
    return {{B(frame.centre.re), B(frame.centre.im)}, B(frame.radius)};
}

/// `count` coordinates as seen from `origin`, the other lanes `idle` seen from there.
template <class B>
B load_coordinates(const double* data, std::size_t count, double origin, double idle) {
    using Real = typename B::value_type;
    if constexpr (std::is_same_v<Real, double>) {
        return load_lanes<B>(data, count, idle) - B(origin);
    } else {
        alignas(64) Real lanes[B::size];
        for (std::size_t i = 0; i < B::size; ++i) {
            lanes[i] = static_cast<Real>((i < count ? data[i] : idle) - origin);
        }
        return B::load_aligned(lanes);
    }
}

/// `count` points from `begin` as seen from `origin`; idle lanes as `idle`.
template <class B>
Complex<B> load_points(
    const PointView<2>& points,
    std::size_t begin,
    std::size_t count,
    Complex<double> origin,
    Complex<double> idle
) {
    return {
        load_coordinates<B>(points.x[0] + begin, count, origin.re, idle.re),
        load_coordinates<B>(points.x[1] + begin, count, origin.im, idle.im)};
}

/// `count` points from `begin` as pairs need them; idle lanes hold `idle`.
template <class Real, class B>
PairPoint<Real, Complex<B>> load_pair_points(
    const PointView<2>& points, std::size_t begin, std::size_t count, Complex<double> idle
) {
    if constexpr (std::is_same_v<Real, double>) {
        return {
            load_lanes<B>(points.x[0] + begin, count, idle.re),
            load_lanes<B>(points.x[1] + begin, count, idle.im)};
    } else {
        alignas(64) Real lanes[4][B::size];
        for (std::size_t i = 0; i < B::size; ++i) {
            const auto point = pair_point<Real>(i < count ? points[begin + i] : idle);
            lanes[0][i] = point.high.re;
            lanes[1][i] = point.high.im;
            lanes[2][i] = point.low.re;
            lanes[3][i] = point.low.im;
        }
        return {
            {B::load_aligned(lanes[0]), B::load_aligned(lanes[1])},
            {B::load_aligned(lanes[2]), B::load_aligned(lanes[3])}};
    }
}

/// `count` strengths from `begin`; idle lanes are zero and so contribute nothing.
template <class K, class B>
LaneStrength<K, B>
load_strengths(const StrengthView<K>& strengths, std::size_t begin, std::size_t count) {
    using Real = typename K::Real;
    LaneStrength<K, B> q;
    visit_components(q, [&](int c, B& lanes) {
        lanes = load_lanes<B>(strengths.of_component[c] + begin, count, Real(0));
    });
    return q;
}

/// One strength in every lane.
template <class K, class B>
LaneStrength<K, B> same_strength(const StrengthView<K>& strengths, std::size_t i) {
    LaneStrength<K, B> q;
    visit_components(q, [&](int c, B& lanes) { lanes = B(strengths.of_component[c][i]); });
    return q;
}

enum class Store { overwrite, add };

/// Stores or adds `count` lanes of results from `begin`.
template <class K, class B>
void store_values(
    const ValueView<K>& values,
    std::size_t begin,
    std::size_t count,
    LaneValue<K, B> value,
    Store how
) {
    using Real = typename K::Real;
    const auto put = [&](B lanes, Real* out) {
        if (how == Store::add) {
            lanes = lanes + load_lanes<B>(out + begin, count, Real(0));
        }
        store_lanes(lanes, out + begin, count);
    };
    visit_components(value, [&](int c, const B& lanes) { put(lanes, values.of_component[c]); });
}

template <class K, class B>
LaneValue<K, B> zero_value() {
    LaneValue<K, B> value;
    visit_components(value, [](int /*c*/, B& lanes) { lanes = B(0); });
    return value;
}

/// Up to B::size boxes, one a lane. Idle lanes repeat the first box.
template <class B, class Real>
class BoxLanes {
public:
    [[nodiscard]] std::size_t size() const { return n_; }

    [[nodiscard]] bool full() const { return n_ == B::size; }

    void clear() { n_ = 0; }

    void add(const Frame<Real>& frame, Complex<Real>* coefficients) {
        x_[n_] = frame.centre.re;
        y_[n_] = frame.centre.im;
        radius_[n_] = frame.radius;
        rows_[n_] = coefficients;
        ++n_;
    }

    void fill_idle() {
        for (std::size_t i = n_; i < B::size; ++i) {
            x_[i] = x_[0];
            y_[i] = y_[0];
            radius_[i] = radius_[0];
            rows_[i] = rows_[0];
        }
    }

    [[nodiscard]] Frame<B> frame() const {
        return {{B::load_aligned(x_), B::load_aligned(y_)}, B::load_aligned(radius_)};
    }

    [[nodiscard]] Complex<Real>* const* rows() const { return rows_; }

private:
    alignas(64) Real x_[B::size] = {};
    alignas(64) Real y_[B::size] = {};
    alignas(64) Real radius_[B::size] = {};
    Complex<Real>* rows_[B::size] = {};
    std::size_t n_ = 0;
};

template <class B>
void set_zero(Complex<B>* coefficients, int n) {
    for (int k = 0; k < n; ++k) {
        coefficients[k] = Complex<B>{B(0), B(0)};
    }
}

} // namespace starfmm
