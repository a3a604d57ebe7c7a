// SPDX-License-Identifier: BSD-3-Clause
// Sums over pairs in extended precision and the conditions that they have, from their definition:
// nothing here is the library's but the arrays, so that no fault is shared with it.
#pragma once

#include "core/particles/points.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

/// sum_j q_j G_ij at one target, and how its terms G_ij q_j make it sensitive to roundings.
struct ExactSum {
    long double re = 0;
    long double im = 0;
    long double magnitude = 0;  ///< sum of |q_j G_ij|
    long double squares = 0;    ///< sum of |q_j G_ij|^2
    long double slope = 0;      ///< sum of |q_j dG_ij/dz_j|
    long double strength = 0;   ///< sum of |q_j|
    long double strengths2 = 0; ///< sum of |q_j|^2

    [[nodiscard]] long double value() const { return std::hypot(re, im); }
};

/// Kernel harmonic2d: sum of q_j / (z_j - z); log2d: of q_j log|z - z_j|; over the sources elsewhere than `z`,
/// which is (x, y).
ExactSum exact_sum(
    std::string_view kernel,
    const starfmm::Points<2>& sources,
    const starfmm::Strengths& strengths,
    double x,
    double y
);

/// sum_j q_j / |y - x_j| at one target y of space, and its gradient by y.
struct ExactSpaceSum {
    long double potential = 0;
    std::array<long double, 3> gradient{};
    long double magnitude = 0;          ///< sum of |q_j| / |y - x_j|
    long double gradient_magnitude = 0; ///< sum of |q_j| / |y - x_j|^2
    long double slope = 0;              ///< sum of |q_j| / |y - x_j|^3
};

/// Sums at the targets `which`, over the sources elsewhere, on all cores.
std::vector<ExactSpaceSum> exact_sums(
    const starfmm::Points<3>& sources,
    const starfmm::Strengths& strengths,
    const starfmm::Points<3>& targets,
    const std::vector<std::size_t>& which
);

/// Sums at the targets `which`, on all cores.
std::vector<ExactSum> exact_sums(
    std::string_view kernel,
    const starfmm::Points<2>& sources,
    const starfmm::Strengths& strengths,
    const starfmm::Points<2>& targets,
    const std::vector<std::size_t>& which
);
