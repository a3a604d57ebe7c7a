// SPDX-License-Identifier: BSD-3-Clause
// Tests of gravity by a tree with the softening of a spline, whose pairs differ from those that
// expansions stand for.
#include "core/laws/spline.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/tree_sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::Distribution;
using starfmm::GravityTreeOptions;
using starfmm::Precision;

namespace {

constexpr auto in_double = Precision::double_precision;
constexpr auto in_single = Precision::single_precision;

GravityTreeOptions options(double tolerance, Precision precision, double epsilon) {
    GravityTreeOptions options;
    options.epsilon = epsilon;
    options.softening = starfmm::Softening::spline;
    options.precision = precision;
    options.plan.tolerance = tolerance;
    return options;
}

GravityTreeOptions precise(double epsilon, double leaf_size) {
    return converging(options(1e-3, in_double, epsilon), leaf_size);
}

/// Makes bodies around a cluster at one place, which is large enough for expansions of its own.
Bodies crowded_bodies() {
    Bodies bodies = equal_bodies(Distribution::uniform, 1000);
    for (int i = 0; i < 2500; ++i) {
        for (auto& x : bodies.x) {
            x.push_back(0.61);
        }
        bodies.mass.push_back(1e-4);
    }
    return bodies;
}

} // namespace

TEST_CASE("gravity_spline: errors of accelerations have the tolerance, as those of Plummer's law") {
    TakesTurns taken;
    for (const Distribution distribution :
         {Distribution::plummer, Distribution::uniform, Distribution::normal}) {
        const Bodies bodies = equal_bodies(distribution, 10'000);
        for (const double tolerance : {3e-2, 2e-3, 3e-4}) {
            for (const Precision precision : {in_double, in_single}) {
                if (!taken()) {
                    continue;
                }
                CAPTURE(tolerance);
                const auto asked = options(tolerance, precision, 0.01);
                const auto found = tree_errors(asked, bodies, tree_sums(asked, bodies));
                CHECK(median(found) <= tolerance);
                CHECK(median(found) > 1e-3 * tolerance); // distant bodies are not summed by pairs
            }
        }
    }
}

TEST_CASE("gravity_spline: no pair within the support goes by expansions, of any support") {
    TakesTurns taken;
    // from a tenth of a leaf to more than the cube of all bodies
    for (const double epsilon : {1e-3, 0.01, 0.05, 0.15, 0.7}) {
        for (const Distribution distribution : {Distribution::plummer, Distribution::uniform}) {
            for (const double leaf_size : {4.0, 40.0}) {
                if (!taken()) {
                    continue;
                }
                CAPTURE(epsilon);
                CAPTURE(leaf_size);
                check_tree_sums(
                    precise(epsilon, leaf_size),
                    equal_bodies(distribution, 1500),
                    converging_left_out
                );
            }
        }
    }
}

TEST_CASE("gravity_spline: nor do crowds within it") {
    for (const double epsilon : {0.02, 0.1, 0.3}) {
        CAPTURE(epsilon);
        check_tree_sums(precise(epsilon, 30), crowded_bodies(), converging_left_out);
    }
}

TEST_CASE("gravity_spline: groups whose bodies are within each other's support") {
    const Bodies bodies = equal_bodies(Distribution::plummer, 3000);
    for (const double epsilon : {0.01, 0.15}) {
        for (const int groups : {8, 64}) {
            CAPTURE(epsilon);
            CAPTURE(groups);
            auto asked = precise(epsilon, 40);
            asked.plan.groups = groups;
            check_tree_sums(asked, bodies, converging_left_out);
        }
    }
}

TEST_CASE("gravity_spline: few bodies and bodies at one place") {
    for (const double epsilon : {0.0, 0.5, 5.0}) {
        CAPTURE(epsilon);
        const auto asked = options(1e-3, in_double, epsilon);
        check_tree_sums(asked, {{{{1}, {2}, {3}}}, {4}}, 0);
        check_tree_sums(asked, {{{{0, 2}, {0, 0}, {1, 1}}}, {3, 1}}, 1e-14);
        check_tree_sums(asked, {{{{0, 2, 2}, {0, 0, 0}, {1, 1, 1}}}, {3, 1, 4}}, 1e-14);
        check_tree_sums(asked, {{{{2, 2, 2}, {1, 1, 1}, {3, 3, 3}}}, {3, 1, 4}}, 1e-14);
        Bodies twice = random_bodies(50);
        for (auto& x : twice.x) {
            const auto own = x;
            x.insert(x.end(), own.begin(), own.end());
        }
        twice.mass.insert(twice.mass.end(), 50, 0.0);
        check_tree_sums(asked, twice, 1e-13);
    }
}

TEST_CASE("gravity_spline: pairs in single precision, of any softening") {
    for (const double epsilon : {0.0, 1e-3, 0.1, 30.0}) {
        CAPTURE(epsilon);
        auto one_leaf = options(1e-2, in_single, epsilon);
        one_leaf.plan.leaf_size = 4000;
        for (const std::size_t n : {2, 3, 4, 5, 17, 1023, 1024, 1025, 2077}) {
            CAPTURE(n);
            check_tree_sums(one_leaf, random_bodies(n), 1e-5);
        }
    }
}

TEST_CASE("gravity_spline: units are the user's choice") {
    const Bodies bodies = random_bodies(500);
    for (const double length : {0x1p-70, 0x1p60}) {
        CAPTURE(length);
        auto asked = precise(0.05, 10);
        const Accelerations expected = tree_sums(asked, bodies);
        Bodies scaled = bodies;
        for (auto& x : scaled.x) {
            for (double& each : x) {
                each *= length;
            }
        }
        asked.epsilon *= length;
        asked.g = length * length;
        const Accelerations found = tree_sums(asked, scaled);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            CHECK(
                found.potential[i] == doctest::Approx(length * expected.potential[i]).epsilon(1e-12)
            );
        }
    }
}

TEST_CASE("gravity_spline: without softening both laws are Newton's") {
    const Bodies bodies = equal_bodies(Distribution::plummer, 3000);
    auto asked = options(1e-3, in_double, 0);
    const Accelerations spline = tree_sums(asked, bodies);
    asked.softening = starfmm::Softening::plummer;
    const Accelerations plummer = tree_sums(asked, bodies);
    double largest = 0;
    for (const double each : plummer.a[0]) {
        largest = std::max(largest, std::abs(each));
    }
    // 3000 terms, each rounded in a way of its own
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        CHECK(spline.potential[i] == doctest::Approx(plummer.potential[i]).epsilon(1e-12));
        for (int d = 0; d < 3; ++d) {
            CHECK(std::abs(spline.a[d][i] - plummer.a[d][i]) <= 1e-12 * largest);
        }
    }
}
