// SPDX-License-Identifier: BSD-3-Clause
// Gravity softened by a cubic spline: of bodies that are balls, and beyond them Newton's.
#pragma once

#include "core/arithmetic.hpp"
#include "core/host_device.hpp"

namespace starfmm {

/// Radius of the balls over the epsilon of Plummer's law with a potential as deep, -1 / epsilon.
inline constexpr double spline_radius = 2.8;

/// What a source adds to a target's sums where G = 1.
template <class T>
struct Attraction {
    T potential; ///< minus the potential
    T factor;    ///< what the displacement is multiplied by: it gives the acceleration
};

/// A test body and a ball of the density
///
///     (8 / pi h^3) (2 (1 - u)^3 - 8 max(0, 1/2 - u)^3),   u = r / h <= 1   [S05 Eq 4],
///
/// whose potential is -m / h times minus W2(u) [S05 Eq 71].
///
/// From u = 1/2 on we write what lies farther out than u in powers of t = 1 - u: the mass is
/// m (1 - t^4 (16 - 128 t / 5 + 32 t^2 / 3)), the potential -m / r (1 - t^5 (16 / 5 - 32 t / 15)).
/// With t = 0 from h on these are Newton's, to the bit.
/// \tparam Support Real, or a SIMD batch of it: then each lane's balls have a radius of their own
template <class Real, class Support = Real>
class SplineSoftening {
public:
    /// \param support radius h of the balls; 0: points
    STARFMM_HOST_DEVICE explicit SplineSoftening(const Support& support)
        : support_(support), inverse_(reciprocal_or_zero(support)) {}

    [[nodiscard]] STARFMM_HOST_DEVICE Support support() const { return support_; }

    /// Without support a mass at the distance 0 attracts nothing. Most batches of pairs have none
    /// within the support, and end where Newton's law does.
    /// \param square square of the distance
    template <class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE Attraction<T>
    attract(const T& square, const T& mass) const {
        using A = Arithmetic<T>;
        const T inverse = A::reciprocal_sqrt_or_zero(square);
        const T potential = mass * inverse;
        const Attraction<T> point{potential, potential * inverse * inverse};
        if (A::none_greater(T(support_ * support_), square)) {
            return point;
        }
        const T t = A::max(T(inverse_) * (T(support_) - square * inverse), T(0));
        const Attraction<T> inside = attract_inside(T(1) - t, mass);
        const Attraction<T> outside = attract_outside(t, point);
        const T half(ratio(1, 2));
        return {
            A::if_greater(t, half, inside.potential, outside.potential),
            A::if_greater(t, half, inside.factor, outside.factor)};
    }

private:
    /// Rounded once, in any Real.
    STARFMM_HOST_DEVICE static constexpr Real ratio(int numerator, int denominator) {
        return static_cast<Real>(numerator) / static_cast<Real>(denominator);
    }

    /// Returns a power of 1 / support times a ratio.
    template <class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static T
    per_length(const Support& power, int numerator, int denominator) {
        return T(power * Support(ratio(numerator, denominator)));
    }

    /// Up to u = 1/2.
    template <class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE Attraction<T>
    attract_inside(const T& u, const T& mass) const {
        using A = Arithmetic<T>;
        const Support cube = inverse_ * inverse_ * inverse_;
        const T square = u * u;
        const T bend =
            A::multiply_add(per_length<T>(inverse_, 32, 5), u, per_length<T>(inverse_, -48, 5));
        const T fall = A::multiply_add(square, bend, per_length<T>(inverse_, 16, 3));
        const T slope =
            A::multiply_add(per_length<T>(cube, 32, 1), u, per_length<T>(cube, -192, 5));
        return {
            mass * A::multiply_add(-square, fall, per_length<T>(inverse_, 14, 5)),
            mass * A::multiply_add(square, slope, per_length<T>(cube, 32, 3))};
    }

    /// Attraction from u = 1/2 on.
    template <class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static Attraction<T>
    attract_outside(const T& t, const Attraction<T>& point) {
        using A = Arithmetic<T>;
        const T fourth = (t * t) * (t * t);
        const T rise = A::multiply_add(T(ratio(32, 15)), t, T(ratio(-16, 5)));
        const T bend = A::multiply_add(T(ratio(-32, 3)), t, T(ratio(128, 5)));
        const T share = A::multiply_add(t, bend, T(ratio(-16, 1)));
        return {
            point.potential * A::multiply_add(fourth * t, rise, T(1)),
            point.factor * A::multiply_add(fourth, share, T(1))};
    }

    Support support_;
    Support inverse_; ///< 1 / support, or 0
};

} // namespace starfmm
