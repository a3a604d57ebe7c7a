// SPDX-License-Identifier: BSD-3-Clause
// Mathematics of softened gravity, one pair at a time; T is a real number or a SIMD batch of them.
#pragma once

#include "core/arithmetic.hpp"
#include "core/host_device.hpp"
#include "core/position.hpp"
#include "core/split.hpp"

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

/// Bodies as pairs of a precision take them: x, y, z, mass. Pairs and sums are in one type.
template <class R>
struct PackedBodies {
    using Real = R;
    using Sum = R;
    template <class T>
    using Position = Vector3<T>;
    static constexpr int width = 4; ///< numbers of a body

    /// \param out [width]
    STARFMM_HOST_DEVICE static void pack(const Vector3<double>& x, double mass, R* out) {
        out[0] = static_cast<R>(x.x);
        out[1] = static_cast<R>(x.y);
        out[2] = static_cast<R>(x.z);
        out[3] = static_cast<R>(mass);
    }

    /// A position of which `number(k)` is the k-th packed number.
    template <class T, class Number>
    STARFMM_HOST_DEVICE static Position<T> position(const Number& number) {
        return {number(0), number(1), number(2)};
    }
};

/// Positions of 48 bits, whose differences are rounded to single: x, y, z, mass, and the low parts
/// of x, y, z, 0; sums in double.
struct PackedSplitBodies {
    using Real = float;
    using Sum = double;
    template <class T>
    using Position = SplitPosition<Vector3<T>>;
    static constexpr int width = 8;

    STARFMM_HOST_DEVICE static void pack(const Vector3<double>& x, double mass, float* out) {
        const SplitReal parts[3] = {split(x.x), split(x.y), split(x.z)};
        for (int d = 0; d < 3; ++d) {
            out[d] = parts[d].high;
            out[4 + d] = parts[d].low;
        }
        out[3] = static_cast<float>(mass);
        out[7] = 0;
    }

    template <class T, class Number>
    STARFMM_HOST_DEVICE static Position<T> position(const Number& number) {
        return {{number(0), number(1), number(2)}, {number(4), number(5), number(6)}};
    }
};

/// Whether a kernel has packed bodies (PackedSums), K::Packed, and pairs that attract().
template <class K>
inline constexpr bool has_packed = requires {
    typename K::Packed;
};

} // namespace starfmm
