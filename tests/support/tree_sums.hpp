// SPDX-License-Identifier: BSD-3-Clause
// Sums of gravity by a tree are made here for tests, with their errors.
#pragma once

#include "core/reference/gravity_reference.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "tests/support/bodies3d.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

inline starfmm::Bodies equal_bodies(starfmm::Distribution distribution, std::size_t n) {
    return {
        starfmm::make_points<3>(distribution, n, 0.1, 11).x,
        std::vector<double>(n, 1.0 / static_cast<double>(n))};
}

/// Returns options with expansions that converge fast, so that a pair within a spline's support that
/// is summed by expansions stands out.
inline starfmm::GravityTreeOptions
converging(starfmm::GravityTreeOptions options, double leaf_size) {
    options.plan.order = 8;
    options.plan.theta = 0.2;
    options.plan.leaf_size = leaf_size;
    return options;
}

/// Largest fraction of a pair's force that these options leave out. With r = 2 theta / (1 + theta)
/// = 1/3, degrees from 8 on are sum (n + 1) r^n of the force at the centres, of which the force at
/// the farthest corners is 1 / (1 + r)^2. A ball within its support is off by as much from u = 0.87
/// on inwards, and by 0.37 at u = 1/2.
inline constexpr double converging_left_out = 3.9e-3;

inline starfmm::Accelerations
tree_sums(const starfmm::GravityTreeOptions& options, const starfmm::Bodies& bodies) {
    starfmm::Runtime runtime({}, starfmm::Execution::in_order);
    starfmm::Accelerations out;
    starfmm::GravityTree(runtime, options).evaluate(bodies, out);
    return out;
}

/// Exact accelerations at 1000 bodies, of small scenes at a sixth of them.
class TreeReference {
public:
    TreeReference(const starfmm::GravityTreeOptions& options, const starfmm::Bodies& bodies) {
        const std::size_t n_checked = scene_size(1000);
        for (std::size_t i = 0; i < n_checked; ++i) {
            which_.push_back(i * bodies.size() / n_checked);
        }
        exact_ = starfmm::gravity_reference(bodies, options.epsilon, 1, which_, options.softening);
    }

    /// Returns relative errors, rising.
    [[nodiscard]] std::vector<double> errors(const starfmm::Accelerations& results) const {
        std::vector<double> relative;
        for (std::size_t i = 0; i < which_.size(); ++i) {
            long double error = 0;
            long double scale = 0;
            for (int d = 0; d < 3; ++d) {
                error += std::pow(results.a[d][which_[i]] - exact_.a[d][i], 2.0L);
                scale += std::pow(exact_.a[d][i], 2.0L);
            }
            relative.push_back(static_cast<double>(std::sqrt(error / scale)));
        }
        std::sort(relative.begin(), relative.end());
        return relative;
    }

private:
    std::vector<std::size_t> which_;
    starfmm::GravityReference exact_;
};

inline std::vector<double> tree_errors(
    const starfmm::GravityTreeOptions& options,
    const starfmm::Bodies& bodies,
    const starfmm::Accelerations& results
) {
    return TreeReference(options, bodies).errors(results);
}

/// Returns the error that a share of the errors, which rise, does not exceed.
inline double quantile(const std::vector<double>& errors, double share) {
    return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size()))];
}

inline double median(const std::vector<double>& errors) {
    return quantile(errors, 0.5);
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
