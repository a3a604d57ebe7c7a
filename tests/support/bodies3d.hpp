// SPDX-License-Identifier: BSD-3-Clause
// Bodies for tests of gravity are made here, and the errors that a sum over them may have.
#pragma once

#include "core/particles/bodies.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/gravity_reference.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

/// Makes seeded bodies of different masses in a Plummer model about the origin. Coordinates and
/// masses are numbers of single precision, so that rounding them changes nothing.
inline starfmm::Bodies random_bodies(std::size_t n, std::uint64_t seed = 1) {
    const auto points = starfmm::make_points<3>(starfmm::Distribution::plummer, n, 0.1, seed);
    const auto masses = starfmm::make_strengths(
        n, starfmm::StrengthSign::positive, starfmm::StrengthType::real, seed
    );
    const auto single = [](double value) { return static_cast<double>(static_cast<float>(value)); };
    starfmm::Bodies bodies;
    for (std::size_t i = 0; i < n; ++i) {
        for (int d = 0; d < 3; ++d) {
            bodies.x[d].push_back(single(points.x[d][i] - 0.5));
        }
        bodies.mass.push_back(single(masses.re[i]));
    }
    return bodies;
}

inline std::vector<std::size_t> all_indices(std::size_t n) {
    std::vector<std::size_t> indices(n);
    std::iota(indices.begin(), indices.end(), std::size_t(0));
    return indices;
}

/// Largest error of a sum over n bodies, relative to the sum of magnitudes. There are 30 roundings
/// a pair (a seed and its steps are 5 of them, and count threefold), 256 in a chunk, and one for
/// each chunk in the sum of chunks.
inline double error_bound(starfmm::Precision precision, std::size_t n) {
    const bool is_double = precision == starfmm::Precision::double_precision;
    const bool is_single = precision == starfmm::Precision::single_precision;
    const double chunks = is_single ? static_cast<double>(n) / 256 + 70 : 0; // a GPU adds parts
    const double sum = std::fmin(static_cast<double>(n), 256.0);
    return (30 + sum + chunks) * (is_double ? 0x1p-52 : 0x1p-24);
}

/// Checks every body's acceleration, and its potential if there is one, against extended precision.
inline void check_against_reference(
    const starfmm::Bodies& bodies,
    const starfmm::Accelerations& results,
    double epsilon,
    double g,
    double bound
) {
    const std::size_t n = bodies.size();
    const auto exact = starfmm::gravity_reference(bodies, epsilon, g, all_indices(n));
    REQUIRE(results.size() == n);
    for (std::size_t i = 0; i < n; ++i) {
        CAPTURE(i);
        for (int d = 0; d < 3; ++d) {
            CHECK(std::abs(results.a[d][i] - exact.a[d][i]) <= bound * exact.magnitude[i]);
        }
        if (!results.potential.empty()) {
            const auto error = std::abs(results.potential[i] - exact.potential[i]);
            CHECK(error <= bound * exact.potential_magnitude[i]);
        }
    }
}
