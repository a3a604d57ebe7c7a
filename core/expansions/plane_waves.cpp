// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/plane_waves.hpp"

#include <cmath>
#include <numbers>

namespace starfmm {

namespace {

/// Whether a rule meets a tolerance: errors of pairs are an eighth of the largest in the mean
/// square, and as large as those of M2L.
bool meets(const WaveRule& rule, double tolerance) {
    constexpr double share = 2.5;
    return rule.error <= share * tolerance;
}

/// Returns a bound of 2 |J_m| up to x.
double bessel_bound(int m, double x) {
    return m < x ? 2 : 2 * std::cyl_bessel_j(m, x);
}

} // namespace

WaveRule wave_rule(double tolerance) {
    int n = least_wave_nodes;
    while (n < most_wave_nodes && !meets(WaveRule::of(n), tolerance)) {
        ++n;
    }
    return WaveRule::of(n);
}

int wave_angles(const WaveRule& rule, int node) {
    // By which one node may err more than its share: few pairs are at the rim of the range, where
    // the trapezoidal rule is worst, and fewer have it of all nodes there, so that beside the
    // rule's error so much is not seen.
    constexpr double rim = 16;
    constexpr int least_angles = 2;
    const double length = rule.nodes[node];
    const double reach = length * 4 * std::numbers::sqrt2;
    const double strength = rule.weights[node] * std::exp(-length);
    int n = least_angles;
    // the largest term that M_k angles add is 2 J_M, which grows up to its order
    while (strength * bessel_bound(2 * n, reach) > rim * rule.error / rule.size) {
        ++n;
    }
    return n;
}

bool are_plane_waves_apt(double tolerance, int order, double theta) {
    constexpr double half_diagonal = 0.86602540378443864676; // of a cube of side one
    constexpr double sides_apart = 2;
    const bool separates = half_diagonal * (1 + theta) <= sides_apart * theta;
    return meets(wave_rule(tolerance), tolerance) && order <= most_wave_order && separates;
}

} // namespace starfmm
