// SPDX-License-Identifier: BSD-3-Clause
// Mathematics of softened gravity, one pair at a time; T is a real number or a SIMD batch of them.
#pragma once

#include "core/arithmetic.hpp"
#include "core/host_device.hpp"
#include "core/particles/bodies.hpp"
#include "core/position.hpp"

namespace starfmm {

/// How close bodies may come.
enum class Closeness {
    softened, ///< epsilon keeps the inverse cube of every distance within T's range
    any       ///< epsilon is zero or tiny: bodies at the same place do not act on each other
};

/// Smallest squared epsilon of Closeness::softened, where no coordinate exceeds 1: a mass of 1 over
/// its cube is 2^120 (2^900 in double).
template <class Real>
inline constexpr Real softened_square = sizeof(Real) == sizeof(float) ? Real(0x1p-80)
                                                                      : Real(0x1p-600);

/// Adds to `acceleration` what a body of mass `mass` at displacement `d` contributes, G = 1:
/// mass d / (d^2 + epsilon^2)^(3/2) [MTM13 Eq 1]. The displacement 0 contributes 0.
/// \returns mass / sqrt(d^2 + epsilon^2): minus the contribution to the potential [MTM13 sec. 2]
template <Closeness closeness, class T>
STARFMM_HOST_DEVICE T
attract(const Vector3<T>& d, const T& mass, const T& epsilon_square, Vector3<T>& acceleration) {
    using A = Arithmetic<T>;
    // epsilon^2 starts the chain, so that it costs no addition of its own [MTM13 Listing 1]
    const T square = A::multiply_add(
        d.z, d.z, A::multiply_add(d.y, d.y, A::multiply_add(d.x, d.x, epsilon_square))
    );
    if constexpr (closeness == Closeness::softened) {
        const T inverse = A::reciprocal_sqrt(square);
        const T potential = mass * inverse;
        const T factor = potential * (inverse * inverse);
        acceleration.x = A::multiply_add(factor, d.x, acceleration.x);
        acceleration.y = A::multiply_add(factor, d.y, acceleration.y);
        acceleration.z = A::multiply_add(factor, d.z, acceleration.z);
        return potential;
    } else {
        const T inverse = A::reciprocal_sqrt_or_zero(square);
        const T potential = mass * inverse;
        const T factor = potential * inverse; // the cube could overflow where the sum does not
        acceleration.x = A::multiply_add(factor, inverse * d.x, acceleration.x);
        acceleration.y = A::multiply_add(factor, inverse * d.y, acceleration.y);
        acceleration.z = A::multiply_add(factor, inverse * d.z, acceleration.z);
        return potential;
    }
}

/// Pairs and sums in one type.
template <class R, GravityPrecision which>
struct UniformPrecision {
    using Real = R;
    using Sum = R;
    template <class T>
    using Position = Vector3<T>;
    static constexpr GravityPrecision precision = which;
    static constexpr int width = static_cast<int>(packed_width(which));

    /// A position of which `number(k)` is the k-th packed number.
    template <class T, class Number>
    STARFMM_HOST_DEVICE static Position<T> position(const Number& number) {
        return {number(0), number(1), number(2)};
    }
};

using GravityDouble = UniformPrecision<double, GravityPrecision::double_precision>;
using GravitySingle = UniformPrecision<float, GravityPrecision::single_precision>;

/// Positions of 48 bits, whose differences are rounded to single; sums in double.
struct GravityMixed {
    using Real = float;
    using Sum = double;
    template <class T>
    using Position = SplitPosition<Vector3<T>>;
    static constexpr GravityPrecision precision = GravityPrecision::mixed_precision;
    static constexpr int width = static_cast<int>(packed_width(precision));

    template <class T, class Number>
    STARFMM_HOST_DEVICE static Position<T> position(const Number& number) {
        return {{number(0), number(1), number(2)}, {number(4), number(5), number(6)}};
    }
};

/// What is summed.
enum class GravityResult { acceleration, with_potential };

STARFMM_HOST_DEVICE constexpr int n_components(GravityResult result) {
    return result == GravityResult::acceleration ? 3 : 4;
}

} // namespace starfmm
