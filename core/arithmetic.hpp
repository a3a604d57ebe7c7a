// SPDX-License-Identifier: BSD-3-Clause
// Primitives of pair interactions for scalars; codelets/simd/simd.hpp specializes them for SIMD
// batches.
#pragma once

#include "core/host_device.hpp"

#include <cmath>
#include <limits>

namespace starfmm {

/// The way in which a type computes, specialized where a scalar's way is wrong or slow.
template <class T>
struct Arithmetic {
    STARFMM_HOST_DEVICE static T reciprocal_or_zero(T x) {
        return x < std::numeric_limits<T>::min() ? 0 : 1 / x;
    }

    STARFMM_HOST_DEVICE static T reciprocal_sqrt(T x) { return 1 / std::sqrt(x); }

    STARFMM_HOST_DEVICE static T reciprocal_sqrt_or_zero(T x) {
        return x < std::numeric_limits<T>::min() ? 0 : reciprocal_sqrt(x);
    }

    STARFMM_HOST_DEVICE static T log_or_zero(T x) {
        return x < std::numeric_limits<T>::min() ? 0 : std::log(x);
    }

    STARFMM_HOST_DEVICE static T max(T a, T b) { return a > b ? a : b; }

    STARFMM_HOST_DEVICE static T min(T a, T b) { return a > b ? b : a; }

    STARFMM_HOST_DEVICE static T fused(T a, T b, T c) { return std::fma(a, b, c); }

    /// Returns a b + c, in one rounding where that is no slower.
    STARFMM_HOST_DEVICE static T multiply_add(T a, T b, T c) { return a * b + c; }

    STARFMM_HOST_DEVICE static T zero_if_greater(T value, T a, T b) { return a > b ? 0 : value; }

    /// Returns `then` where a > b, else `otherwise`.
    STARFMM_HOST_DEVICE static T if_greater(T a, T b, T then, T otherwise) {
        return a > b ? then : otherwise;
    }

    /// Whether a > b in no lane.
    STARFMM_HOST_DEVICE static bool none_greater(T a, T b) { return !(a > b); }
};

/// No processor fuses in extended precision, where only references compute: software would take a
/// microsecond.
template <>
inline long double Arithmetic<long double>::fused(long double a, long double b, long double c) {
    return a * b + c;
}

#ifdef __CUDA_ARCH__
/// On the GPU a 20-bit seed and one cubic step have a relative error of 1.1e-16 at 1.5 times the
/// rate of a division. The test for zero looks at the exponent, and clears the upper half of the
/// seed, whose lower half is zero: it costs no FP64 instruction.
template <>
__device__ inline double Arithmetic<double>::reciprocal_or_zero(double x) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    y = __hiloint2double(__double2hiint(x) < 0x00100000 ? 0 : __double2hiint(y), 0);
    const double e = fma(-x, y, 1.0);
    return fma(y, fma(e, e, e), y);
}

/// On the GPU one instruction is right to one unit in the last place.
template <>
__device__ inline float Arithmetic<float>::reciprocal_or_zero(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return x < std::numeric_limits<float>::min() ? 0 : y;
}

/// On the GPU the hardware's seed, whose relative error is 2^-22.9, is a single's result.
template <>
__device__ inline float Arithmetic<float>::reciprocal_sqrt(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/// On the GPU a 20-bit seed takes one cubic step, y (1 + e / 2 + 3 e^2 / 8) with e = 1 - x y^2.
__device__ inline double reciprocal_sqrt_from(double x, double y) {
    const double e = fma(-x * y, y, 1.0);
    return fma(y * e, fma(0.375, e, 0.5), y);
}

template <>
__device__ inline double Arithmetic<double>::reciprocal_sqrt(double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return reciprocal_sqrt_from(x, y);
}

/// A seed of zero stays zero, as in reciprocal_or_zero.
template <>
__device__ inline double Arithmetic<double>::reciprocal_sqrt_or_zero(double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const int high = __double2hiint(x) < 0x00100000 ? 0 : __double2hiint(y);
    return reciprocal_sqrt_from(x, __hiloint2double(high, 0));
}

/// On the GPU x = 2^k m with m in [sqrt(1/2), sqrt(2)), and log(m) = s + s R(s^2) with
///
///     s = 2 (m - 1) / (m + 1)
///
/// and R as in fdlibm's e_log.c, whose s is half of this one. The result is right to 4 roundings,
/// without the branches and with half the FP64 instructions of the library's.
template <>
__device__ inline double Arithmetic<double>::log_or_zero(double x) {
    const int high = __double2hiint(x);
    const int k = (high - 0x3fe6a09e) >> 20;
    const double m = __hiloint2double(high - k * (1 << 20), __double2loint(x));
    const double divisor = m + 1;
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(divisor));
    const double e = fma(-divisor, y, 1.0);
    const double quotient = fma(2.0, m, -2.0) * y;
    const double s = fma(quotient, fma(e, e, e), quotient);
    const double z = s * s;
    double r = fma(z, 1.479819860511658591e-01 / 32768, 1.531383769920937332e-01 / 8192);
    r = fma(z, r, 1.818357216161805012e-01 / 2048);
    r = fma(z, r, 2.222219843214978396e-01 / 512);
    r = fma(z, r, 2.857142874366239149e-01 / 128);
    r = fma(z, r, 3.999999999940941908e-01 / 32);
    r = fma(z, r, 6.666666666666735130e-01 / 8);
    // the double whose lower word is 2^31 + k is 2^52 + 2^31 + k
    const double exponent = __hiloint2double(0x43300000, k ^ 0x80000000) - 0x1.000008p52;
    const double log = fma(exponent, 0.693147180559945309417, fma(s, z * r, s));
    return high < 0x00100000 ? 0 : log;
}
#endif

/// Returns 1 / x, and 0 where x is zero or subnormal: a point contributes nothing to itself.
template <class T>
STARFMM_HOST_DEVICE T reciprocal_or_zero(const T& x) {
    return Arithmetic<T>::reciprocal_or_zero(x);
}

/// Returns q / (x^2 + y^2), or where x = y = 0 some finite number, whose product with either is
/// zero.
template <class T>
STARFMM_HOST_DEVICE T over_square(const T& q, const T& x, const T& y) {
    return q * reciprocal_or_zero(x * x + y * y);
}

#ifdef __CUDA_ARCH__
/// On the GPU issue slots are what limits pairs, so that this body spends one instruction besides
/// FP64's:
///  - x = y = 0 needs no test: the sum starts from 2^-768, which vanishes in it unless both are
///    below 2^-357 (1e-107); |q| must be below 2^255;
///  - the seed's lower half is not cleared but takes the bits of a term that is done with, which
///    move the seed by less than 2^-20. The cubic step leaves less than 2^-58 of that.
template <>
__device__ inline double over_square(const double& q, const double& x, const double& y) {
    const double partial = fma(x, x, 0x1p-768);
    const double square = fma(y, y, partial);
    double seed;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(seed) : "d"(square));
    seed = __hiloint2double(__double2hiint(seed), __double2loint(partial));
    const double e = fma(-square, seed, 1.0);
    const double quotient = q * seed;
    return fma(quotient, fma(e, e, e), quotient);
}
#endif

/// Returns log(x), and 0 where x is zero or subnormal.
template <class T>
STARFMM_HOST_DEVICE T log_or_zero(const T& x) {
    return Arithmetic<T>::log_or_zero(x);
}

/// Returns `value`, or 0 where a > b.
template <class T>
STARFMM_HOST_DEVICE T zero_if_greater(const T& value, const T& a, const T& b) {
    return Arithmetic<T>::zero_if_greater(value, a, b);
}

} // namespace starfmm
