// SPDX-License-Identifier: BSD-3-Clause
// Tests of the quadrature rules of plane waves, and of which one follows from a tolerance.
#include "core/expansions/plane_waves.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using starfmm::WaveRule;

TEST_CASE("wave rules: have their errors over the range, and positive ascending nodes") {
    for (int n = starfmm::least_wave_nodes; n <= starfmm::most_wave_nodes; ++n) {
        const WaveRule rule = WaveRule::of(n);
        REQUIRE(rule.size == n);
        CHECK(std::is_sorted(rule.nodes, rule.nodes + n));
        CHECK(rule.nodes[0] > 0);
        CHECK(*std::min_element(rule.weights, rule.weights + n) > 0);
        double largest = 0;
        for (int i = 0; i <= 60 * 80; ++i) {
            const int row = i / 80;
            const double z = 1 + 3.0 * row / 60;
            const double rho = 4 * std::sqrt(2.0) * (i % 80) / 79;
            double sum = -1 / std::hypot(z, rho);
            for (int k = 0; k < n; ++k) {
                sum += rule.weights[k] * std::exp(-rule.nodes[k] * z) *
                       std::cyl_bessel_j(0, rule.nodes[k] * rho);
            }
            largest = std::max(largest, std::abs(sum));
        }
        CHECK(largest <= 1.01 * rule.error);
        CHECK(largest > 0.5 * rule.error);
    }
}

TEST_CASE("plane waves: the rule follows from the tolerance") {
    for (const double tolerance : {1e-1, 1e-3, 1e-6, 1e-9}) {
        const WaveRule rule = starfmm::wave_rule(tolerance);
        CHECK(rule.error <= 2.5 * tolerance);
        CHECK((rule.size == 2 || WaveRule::of(rule.size - 1).error > 2.5 * tolerance));
    }
    CHECK(starfmm::wave_rule(1e-15).size == starfmm::most_wave_nodes);
}
