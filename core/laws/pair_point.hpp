// SPDX-License-Identifier: BSD-3-Clause
// Points as pairs need them: the difference of two that are close to each other must not cancel.
#pragma once

#include "core/host_device.hpp"
#include "core/position.hpp"

#include <type_traits>

namespace starfmm {

/// \tparam P position over Real, or over a SIMD batch of it
template <class Real, class P>
using PairPoint = std::conditional_t<std::is_same_v<Real, double>, P, SplitPosition<P>>;

template <class Real>
STARFMM_HOST_DEVICE PairPoint<Real, Complex<Real>> pair_point(const Complex<double>& z) {
    if constexpr (std::is_same_v<Real, double>) {
        return z;
    } else {
        const Complex<Real> high{static_cast<Real>(z.re), static_cast<Real>(z.im)};
        return {high, {static_cast<Real>(z.re - high.re), static_cast<Real>(z.im - high.im)}};
    }
}

template <class Real>
STARFMM_HOST_DEVICE PairPoint<Real, Vector3<Real>> pair_point(const Vector3<double>& v) {
    if constexpr (std::is_same_v<Real, double>) {
        return v;
    } else {
        const Vector3<Real> high{
            static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z)};
        return {
            high,
            {static_cast<Real>(v.x - high.x),
             static_cast<Real>(v.y - high.y),
             static_cast<Real>(v.z - high.z)}};
    }
}

} // namespace starfmm
