// SPDX-License-Identifier: BSD-3-Clause
// Points as pairs need them: the difference of two that are close to each other must not cancel.
#pragma once

#include "core/host_device.hpp"
#include "core/position.hpp"
#include "core/split.hpp"

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
        const SplitReal re = split(z.re);
        const SplitReal im = split(z.im);
        return {{re.high, im.high}, {re.low, im.low}};
    }
}

template <class Real>
STARFMM_HOST_DEVICE PairPoint<Real, Vector3<Real>> pair_point(const Vector3<double>& v) {
    if constexpr (std::is_same_v<Real, double>) {
        return v;
    } else {
        const SplitReal x = split(v.x);
        const SplitReal y = split(v.y);
        const SplitReal z = split(v.z);
        return {{x.high, y.high, z.high}, {x.low, y.low, z.low}};
    }
}

} // namespace starfmm
