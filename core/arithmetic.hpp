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

    STARFMM_HOST_DEVICE static T log_or_zero(T x) {
        return x < std::numeric_limits<T>::min() ? 0 : std::log(x);
    }

    STARFMM_HOST_DEVICE static T max(T a, T b) { return a > b ? a : b; }

    STARFMM_HOST_DEVICE static T min(T a, T b) { return a > b ? b : a; }

    STARFMM_HOST_DEVICE static T fused(T a, T b, T c) { return std::fma(a, b, c); }

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
