// SPDX-License-Identifier: BSD-3-Clause
// The number of terms that one M2L translation needs: pairs farther apart than the multipole
// acceptance criterion demands need fewer.
#pragma once

#include "core/expansions/expansion.hpp"
#include "core/host_device.hpp"
#include "core/tree/geometry.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace starfmm {

/// Whether a kernel says that a prefix of the coefficients is an expansion of lower order.
template <class K>
constexpr bool truncates_by_distance() {
    if constexpr (requires { K::truncates_by_distance; }) {
        return K::truncates_by_distance;
    } else {
        return false;
    }
}

/// Returns the number of terms that any pair of a kernel needs besides those that its rate of
/// convergence asks for: `static constexpr float terms_besides` of the kernel, or none.
template <class K>
constexpr float terms_besides() {
    if constexpr (requires { K::terms_besides; }) {
        return K::terms_besides;
    } else {
        return 0;
    }
}

/// Returns log2(x) for 1e-30 <= x <= 1e30 within 2e-4: the same bits on every processor, unlike the
/// libraries' own.
STARFMM_HOST_DEVICE inline float coarse_log2(float x) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    const auto exponent = static_cast<float>((bits >> 23) - 127);
    const auto m = std::bit_cast<float>((bits & 0x007fffff) | 0x3f800000);
    // Least squares of log2(m) / (m - 1) on [1, 2], exact at 2, so that the whole is continuous.
    const float poly =
        std::fma(std::fma(std::fma(-0.0803073F, m, 0.5579226F), m, -1.5496900F), m, 2.5101479F);
    return std::fma(poly, m - 1.0F, exponent);
}

/// The number of terms that each pair takes. A pair of discs of radii R >= r at distance d
/// converges like rho^p, rho = R / (d - r): for both expansions, rho bounds radius over nearest
/// point of the other disc. The multipole acceptance criterion admits rho <= theta. A pair that
/// needs `order` terms at rho = theta therefore needs order * log(theta) / log(rho) of them, or, if
/// some are needed at any rho, that with both counts less by those.
class TruncationOrders {
public:
    STARFMM_HOST_DEVICE TruncationOrders(double theta, int order, float besides, float reach = 1)
        : scale_((static_cast<float>(order) - besides) * coarse_log2(static_cast<float>(theta))),
          order_(static_cast<float>(order)), besides_(besides), reach_(reach) {}

    /// Returns a rule by which all pairs take all terms.
    STARFMM_HOST_DEVICE static TruncationOrders none(int order) {
        return {0.5, order, static_cast<float>(order)};
    }

    /// Returns the rule of kernel `K`.
    /// \param cells whether boxes are whole cells, not shrunk to their points
    template <class K>
    STARFMM_HOST_DEVICE static TruncationOrders of(double theta, int order, bool cells = false) {
        return cells ? TruncationOrders(
                           theta_of_cells(theta), order, terms_besides<K>(), reach_of_cells
                       )
                     : TruncationOrders(theta, order, terms_besides<K>());
    }

    /// Returns the number of terms that M2L between discs at distance `d` needs, in [1, order]: a
    /// whole number, in a type that SIMD loops can stay in.
    template <class Real>
    STARFMM_HOST_DEVICE float terms(Real source_radius, Real target_radius, Real d) const {
        const bool source_larger = source_radius > target_radius;
        const Real larger = source_larger ? source_radius : target_radius;
        const Real smaller = source_larger ? target_radius : source_radius;
        const auto rho = static_cast<float>(reach_ * larger / (d - reach_ * smaller));
        const float in_range = rho < 1e-30F ? 1e-30F : rho;
        const float terms = std::ceil(besides_ + scale_ / coarse_log2(in_range));
        return terms < 1.0F ? 1.0F : terms > order_ ? order_ : terms;
    }

    template <class Real, int D>
    STARFMM_HOST_DEVICE int
    order(const Frame<Real, D>& source, const Frame<Real, D>& target) const {
        const Real d = length(source.centre - target.centre);
        return static_cast<int>(terms(source.radius, target.radius, d));
    }

private:
    float scale_;
    float order_;
    float besides_;
    float reach_;
};

} // namespace starfmm
