// SPDX-License-Identifier: BSD-3-Clause
// Points as pairs need them: the difference of two that are close to each other must not cancel.
#pragma once

#include "core/complex.hpp"
#include "core/host_device.hpp"

#include <type_traits>

namespace starfmm {

/// The unevaluated sum high + low: twice the digits of T.
template <class T>
struct SplitPoint {
    Complex<T> high;
    Complex<T> low;
};

/// \tparam T Real, or a SIMD batch of it
template <class Real, class T = Real>
using PairPoint = std::conditional_t<std::is_same_v<Real, double>, Complex<T>, SplitPoint<T>>;

template <class Real>
STARFMM_HOST_DEVICE PairPoint<Real> pair_point(Complex<double> z) {
    if constexpr (std::is_same_v<Real, double>) {
        return z;
    } else {
        const Complex<Real> high{static_cast<Real>(z.re), static_cast<Real>(z.im)};
        return {high, {static_cast<Real>(z.re - high.re), static_cast<Real>(z.im - high.im)}};
    }
}

/// to - from
template <class T>
STARFMM_HOST_DEVICE Complex<T> displacement(const Complex<T>& from, const Complex<T>& to) {
    return to - from;
}

/// to - from, to the accuracy of T relative to the result: what cancels is exact in the high parts.
template <class T>
STARFMM_HOST_DEVICE Complex<T> displacement(const SplitPoint<T>& from, const SplitPoint<T>& to) {
    return (to.high - from.high) + (to.low - from.low);
}

} // namespace starfmm
