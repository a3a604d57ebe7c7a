// SPDX-License-Identifier: BSD-3-Clause
// How many terms one M2L translation needs: pairs farther apart than the criterion demands need
// fewer.
#pragma once

#include "core/expansions/expansion.hpp"
#include "core/geometry.hpp"
#include "core/host_device.hpp"

#include <cmath>

namespace starfmm {

/// Kernels that say that a prefix of the coefficients is an expansion of lower order.
template <class K>
constexpr bool truncates_by_distance() {
    if constexpr (requires { K::truncates_by_distance; }) {
        return K::truncates_by_distance;
    } else {
        return false;
    }
}

/// A pair of discs of radii R >= r at distance d converges like rho^p, rho = R / (d - r): for both
/// expansions, rho bounds radius over nearest point of the other disc. The criterion admits rho <=
/// theta. The pair that needs `order` terms at rho = theta therefore needs order * log(theta) /
/// log(rho).
template <class Real>
class TruncationOrders {
public:
    STARFMM_HOST_DEVICE TruncationOrders(double theta, int order)
        : scale_(static_cast<float>(order * ::log2(theta))), order_(order) {}

    /// Terms that M2L between the discs needs, in [1, order].
    STARFMM_HOST_DEVICE int order(const Frame<Real>& source, const Frame<Real>& target) const {
        const Real d =
            length(source.centre.re - target.centre.re, source.centre.im - target.centre.im);
        const bool source_larger = source.radius > target.radius;
        const Real larger = source_larger ? source.radius : target.radius;
        const Real smaller = source_larger ? target.radius : source.radius;
        const auto rho = static_cast<float>(larger / (d - smaller));
        // rho = 0 (points, not boxes) gives -0 terms; the comparison also catches rounding beyond
        // theta.
        const int terms = static_cast<int>(::ceilf(scale_ / ::log2f(rho)));
        return terms < 1 ? 1 : terms > order_ ? order_ : terms;
    }

private:
    float scale_;
    int order_;
};

} // namespace starfmm
