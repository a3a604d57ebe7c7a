// SPDX-License-Identifier: BSD-3-Clause
// A point of the plane or of space, over any arithmetic type: double, float, or a SIMD batch of
// either.
#pragma once

#include "core/arithmetic.hpp"
#include "core/complex.hpp"
#include "core/host_device.hpp"

#include <cmath>
#include <type_traits>

namespace starfmm {

template <class T>
struct Vector3 {
    T x, y, z;

    STARFMM_HOST_DEVICE constexpr Vector3& operator+=(const Vector3& b) {
        x = x + b.x;
        y = y + b.y;
        z = z + b.z;
        return *this;
    }
};

template <class T>
STARFMM_HOST_DEVICE constexpr Vector3<T> operator+(const Vector3<T>& a, const Vector3<T>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class T>
STARFMM_HOST_DEVICE constexpr Vector3<T> operator-(const Vector3<T>& a, const Vector3<T>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class T>
STARFMM_HOST_DEVICE constexpr Vector3<T> operator-(const Vector3<T>& a) {
    return {-a.x, -a.y, -a.z};
}

template <class T>
STARFMM_HOST_DEVICE constexpr Vector3<T> operator*(const T& a, const Vector3<T>& b) {
    return {a * b.x, a * b.y, a * b.z};
}

/// A point of D dimensions; in two it is a number of the complex plane.
template <int D, class T>
using Position = std::conditional_t<D == 2, Complex<T>, Vector3<T>>;

/// Calls use(std::integral_constant<int, D>) for a number of dimensions that is known when the
/// program runs.
template <class Use>
auto with_dimension(int dimension, const Use& use) {
    return dimension == 2 ? use(std::integral_constant<int, 2>{})
                          : use(std::integral_constant<int, 3>{});
}

/// Returns the point whose coordinate `d` is coordinate(d). The function is inlined, since it would
/// otherwise put SIMD batches into memory.
template <int D, class Coordinate>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline auto make_position(const Coordinate& coordinate) {
    static_assert(D == 2 || D == 3);
    using T = std::remove_cvref_t<decltype(coordinate(0))>;
    if constexpr (D == 2) {
        return Complex<T>{coordinate(0), coordinate(1)};
    } else {
        return Vector3<T>{coordinate(0), coordinate(1), coordinate(2)};
    }
}

/// Calls visit(d) for each direction. (A loop is unrolled later: around it compilers give other
/// code than around these calls.)
template <int D, class Visit>
STARFMM_HOST_DEVICE void visit_directions(const Visit& visit) {
    static_assert(D == 2 || D == 3);
    visit(0);
    visit(1);
    if constexpr (D == 3) {
        visit(2);
    }
}

/// Returns coordinate `d` by value: a choice between addresses would keep a position out of
/// registers.
template <class T>
STARFMM_HOST_DEVICE constexpr T coordinate(const Complex<T>& z, int d) {
    return d == 0 ? z.re : z.im;
}

template <class T>
STARFMM_HOST_DEVICE constexpr T coordinate(const Vector3<T>& v, int d) {
    return d == 0 ? v.x : d == 1 ? v.y : v.z;
}

/// Returns the square of a point's distance from the origin. Products that are added go through an
/// explicit fma, so that every processor computes the same bits.
template <class T>
STARFMM_HOST_DEVICE T square(const Complex<T>& z) {
    return Arithmetic<T>::fused(z.re, z.re, z.im * z.im);
}

template <class T>
STARFMM_HOST_DEVICE T square(const Vector3<T>& v) {
    using A = Arithmetic<T>;
    return A::fused(v.x, v.x, A::fused(v.y, v.y, v.z * v.z));
}

/// Returns the distance from the origin, with the same bits on every processor.
template <class P>
STARFMM_HOST_DEVICE auto length(const P& point) {
    return std::sqrt(square(point));
}

/// The unevaluated sum high + low, which has twice the digits of a position's coordinates.
template <class P>
struct SplitPosition {
    P high;
    P low;
};

/// Returns to - from.
template <class T>
STARFMM_HOST_DEVICE Complex<T> displacement(const Complex<T>& from, const Complex<T>& to) {
    return to - from;
}

template <class T>
STARFMM_HOST_DEVICE Vector3<T> displacement(const Vector3<T>& from, const Vector3<T>& to) {
    return to - from;
}

/// Returns to - from, to the accuracy of T relative to the result: what cancels is exact in the
/// high parts.
template <class P>
STARFMM_HOST_DEVICE P displacement(const SplitPosition<P>& from, const SplitPosition<P>& to) {
    return (to.high - from.high) + (to.low - from.low);
}

} // namespace starfmm
