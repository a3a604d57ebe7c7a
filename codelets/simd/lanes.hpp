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

/// A point a lane, in the form that pairs need.
template <class K, class B>
using LanePoint = PairPoint<typename K::Real, Position<dimension_of<K>, B>>;

/// The lengths of targets of several batches, one a lane, for kernels that have lengths.
template <class K, class B, std::size_t n_batches>
struct LaneLengths {
    LengthOf<K, B> of[n_batches];

    /// Takes `count` lengths from `begin` for batch `t`; idle lanes have none.
    /// \param lengths  those of all targets; null: zero
    void load(std::size_t t, const double* lengths, std::size_t begin, std::size_t count) {
        if constexpr (has_lengths<K>) {
            of[t] = lengths == nullptr ? B(0) : load_lanes<B>(lengths + begin, count, 0.0);
        }
    }
};

/// Frame of one box in every lane.
template <class B, class Real, int D>
Frame<B, D> same_frame(const Frame<Real, D>& frame) {
    return {
        make_position<D>([&](int d) { return B(coordinate(frame.centre, d)); }), B(frame.radius)};
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

/// `count` points from `begin` as seen from `origin`; idle lanes as `idle`. Inlined, as the next
/// one: a function's batches are returned in memory.
template <class B, int D>
[[gnu::always_inline]] inline Position<D, B> load_points(
    const PointView<D>& points,
    std::size_t begin,
    std::size_t count,
    const Position<D, double>& origin,
    const Position<D, double>& idle
) {
    return make_position<D>([&](int d) {
        return load_coordinates<B>(
            points.x[d] + begin, count, coordinate(origin, d), coordinate(idle, d)
        );
    });
}

/// `count` points from `begin` as pairs need them; idle lanes hold `idle`.
template <class Real, class B, int D>
[[gnu::always_inline]] inline PairPoint<Real, Position<D, B>> load_pair_points(
    const PointView<D>& points,
    std::size_t begin,
    std::size_t count,
    const Position<D, double>& idle
) {
    if constexpr (std::is_same_v<Real, double>) {
        return make_position<D>([&](int d) {
            return load_lanes<B>(points.x[d] + begin, count, coordinate(idle, d));
        });
    } else {
        alignas(64) Real high[D][B::size];
        alignas(64) Real low[D][B::size];
        for (std::size_t i = 0; i < B::size; ++i) {
            const auto point = pair_point<Real>(i < count ? points[begin + i] : idle);
            for (int d = 0; d < D; ++d) {
                high[d][i] = coordinate(point.high, d);
                low[d][i] = coordinate(point.low, d);
            }
        }
        return {
            make_position<D>([&](int d) { return B::load_aligned(high[d]); }),
            make_position<D>([&](int d) { return B::load_aligned(low[d]); })};
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
template <class K, class B>
class BoxLanes {
public:
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;

    [[nodiscard]] std::size_t size() const { return n_; }

    [[nodiscard]] bool full() const { return n_ == B::size; }

    void clear() { n_ = 0; }

    void add(const Frame<Real, D>& frame, Coefficient* coefficients) {
        for (int d = 0; d < D; ++d) {
            x_[d][n_] = coordinate(frame.centre, d);
        }
        radius_[n_] = frame.radius;
        rows_[n_] = coefficients;
        ++n_;
    }

    void fill_idle() {
        for (std::size_t i = n_; i < B::size; ++i) {
            for (int d = 0; d < D; ++d) {
                x_[d][i] = x_[d][0];
            }
            radius_[i] = radius_[0];
            rows_[i] = rows_[0];
        }
    }

    [[nodiscard]] Frame<B, D> frame() const {
        return {
            make_position<D>([&](int d) { return B::load_aligned(x_[d]); }),
            B::load_aligned(radius_)};
    }

    [[nodiscard]] Coefficient* const* rows() const { return rows_; }

private:
    alignas(64) Real x_[D][B::size] = {}; // whole vectors, so that each is aligned
    alignas(64) Real radius_[B::size] = {};
    Coefficient* rows_[B::size] = {};
    std::size_t n_ = 0;
};

template <class B>
void set_zero(Complex<B>* coefficients, int n) {
    for (int k = 0; k < n; ++k) {
        coefficients[k] = Complex<B>{B(0), B(0)};
    }
}

/// Clears `n` real coefficients.
template <class B>
void set_zero(B* coefficients, int n) {
    for (int k = 0; k < n; ++k) {
        coefficients[k] = B(0);
    }
}

} // namespace starfmm
