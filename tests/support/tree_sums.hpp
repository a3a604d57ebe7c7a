// SPDX-License-Identifier: BSD-3-Clause
// Sums of gravity by a tree are made here for tests, with their errors.
#pragma once

#include "core/reference/gravity_reference.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "tests/support/bodies3d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

inline starfmm::Bodies equal_bodies(starfmm::Distribution distribution, std::size_t n) {
    return {
        starfmm::make_points<3>(distribution, n, 0.1, 11).x,
        std::vector<double>(n, 1.0 / static_cast<double>(n))};
}

inline starfmm::Accelerations
tree_sums(const starfmm::GravityTreeOptions& options, const starfmm::Bodies& bodies) {
    starfmm::Runtime runtime({}, starfmm::Execution::in_order);
    starfmm::Accelerations out;
    starfmm::GravityTree(runtime, options).evaluate(bodies, out);
    return out;
}

/// Returns relative errors of accelerations at 1000 bodies, rising.
inline std::vector<double> tree_errors(
    const starfmm::GravityTreeOptions& options,
    const starfmm::Bodies& bodies,
    const starfmm::Accelerations& results
) {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < 1000; ++i) {
        which.push_back(i * bodies.size() / 1000);
    }
    const auto exact =
        starfmm::gravity_reference(bodies, options.epsilon, 1, which, options.softening);
    std::vector<double> relative;
    for (std::size_t i = 0; i < which.size(); ++i) {
        long double error = 0;
        long double scale = 0;
        for (int d = 0; d < 3; ++d) {
            error += std::pow(results.a[d][which[i]] - exact.a[d][i], 2.0L);
            scale += std::pow(exact.a[d][i], 2.0L);
        }
        relative.push_back(static_cast<double>(std::sqrt(error / scale)));
    }
    std::sort(relative.begin(), relative.end());
    return relative;
}

/// Checks every body's sums to a fraction `bound` of their magnitudes.
inline void check_tree_sums(
    const starfmm::GravityTreeOptions& options, const starfmm::Bodies& bodies, double bound
) {
    const starfmm::Accelerations found = tree_sums(options, bodies);
    const auto exact = starfmm::gravity_reference(
        bodies, options.epsilon, options.g, all_indices(bodies.size()), options.softening
    );
    REQUIRE(found.size() == bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        CAPTURE(i);
        for (int d = 0; d < 3; ++d) {
            CHECK(std::abs(found.a[d][i] - exact.a[d][i]) <= bound * exact.magnitude[i]);
        }
        CHECK(
            std::abs(found.potential[i] - exact.potential[i]) <=
            bound * exact.potential_magnitude[i]
        );
    }
}
