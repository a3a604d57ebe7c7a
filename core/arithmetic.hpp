// SPDX-License-Identifier: BSD-3-Clause
// Primitives of pair interactions, for scalars; codelets/simd.hpp specializes them for SIMD
// batches.
#pragma once

#include "core/host_device.hpp"

#include <cmath>
#include <limits>

namespace starfmm {

/// How a type computes. Specialized where a scalar's way is wrong or slow.
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

    /// a b + c, in one rounding where that is no slower.
    STARFMM_HOST_DEVICE static T multiply_add(T a, T b, T c) { return a * b + c; }

    STARFMM_HOST_DEVICE static T zero_if_greater(T value, T a, T b) { return a > b ? 0 : value; }
};

#ifdef __CUDA_ARCH__
/// On the GPU: a 20-bit seed and one cubic step, relative error 1.1e-16 at 1.5 times the rate of a
/// division. The test for zero looks at the exponent, so that it costs no FP64 instruction.
template <>
__device__ inline double Arithmetic<double>::reciprocal_or_zero(double x) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x, y, 1.0);
    y = fma(y, fma(e, e, e), y);
    return __double2hiint(x) < 0x00100000 ? 0 : y;
}

/// On the GPU: the hardware's seed, relative error 2^-22.9, is a single's result.
template <>
__device__ inline float Arithmetic<float>::reciprocal_sqrt(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/// On the GPU: a 20-bit seed and one cubic step, y (1 + e / 2 + 3 e^2 / 8) with e = 1 - x y^2.
template <>
__device__ inline double Arithmetic<double>::reciprocal_sqrt(double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x * y, y, 1.0);
    return fma(y * e, fma(0.375, e, 0.5), y);
}

template <>
__device__ inline double Arithmetic<double>::reciprocal_sqrt_or_zero(double x) {
    const double y = reciprocal_sqrt(x);
    return __double2hiint(x) < 0x00100000 ? 0 : y;
}
#endif

/// 1 / x, and 0 where x is zero or subnormal: a point contributes nothing to itself.
template <class T>
STARFMM_HOST_DEVICE T reciprocal_or_zero(const T& x) {
    return Arithmetic<T>::reciprocal_or_zero(x);
}

/// log(x), and 0 where x is zero or subnormal.
template <class T>
STARFMM_HOST_DEVICE T log_or_zero(const T& x) {
    return Arithmetic<T>::log_or_zero(x);
}

/// `value`, or 0 where a > b.
template <class T>
STARFMM_HOST_DEVICE T zero_if_greater(const T& value, const T& a, const T& b) {
    return Arithmetic<T>::zero_if_greater(value, a, b);
}

} // namespace starfmm
