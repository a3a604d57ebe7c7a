// SPDX-License-Identifier: BSD-3-Clause
// Tests of gravity whose bodies have softening lengths of their own, by a tree and directly.
#include "core/laws/spline.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/tree_sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::Distribution;
using starfmm::GravityTreeOptions;
using starfmm::Method;
using starfmm::Softening;

namespace {

GravityTreeOptions options(double tolerance) {
    GravityTreeOptions options;
    options.softening = Softening::splines;
    options.precision = starfmm::Precision::double_precision;
    options.plan.tolerance = tolerance;
    return options;
}

GravityTreeOptions precise(double leaf_size) {
    return converging(options(1e-3), leaf_size);
}

GravityTreeOptions direct() {
    GravityTreeOptions asked = options(1e-3);
    asked.plan.method = Method::direct;
    return asked;
}

/// Gives bodies lengths between two, any order of magnitude alike.
Bodies with_lengths(Bodies bodies, double shortest, double longest) {
    Draws draws(3);
    bodies.epsilon.clear();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies.epsilon.push_back(draws.power_of_ten(std::log10(shortest), std::log10(longest)));
    }
    return bodies;
}

/// Gives a few bodies long lengths, the others short ones or none.
Bodies with_few_long(Bodies bodies, double longest) {
    bodies.epsilon.assign(bodies.size(), 0);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies.epsilon[i] = i % 701 == 13 ? longest : i % 2 == 0 ? 1e-4 : 0;
    }
    return bodies;
}

/// Largest difference of all results, relative to the largest of each kind.
double difference(const Accelerations& a, const Accelerations& b) {
    const auto of = [](const std::vector<double>& x, const std::vector<double>& y) {
        double most = 0;
        double largest = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            most = std::max(most, std::abs(x[i] - y[i]));
            largest = std::max(largest, std::abs(y[i]));
        }
        return most / largest;
    };
    return std::max({of(a.a[0], b.a[0]), of(a.a[1], b.a[1]), of(a.potential, b.potential)});
}

} // namespace

TEST_CASE("gravity_lengths: tolerances are kept, of lengths over four decades") {
    for (const Distribution distribution : {Distribution::plummer, Distribution::uniform}) {
        const Bodies bodies = with_lengths(equal_bodies(distribution, 10'000), 1e-5, 0.1);
        for (const double tolerance : {3e-2, 3e-4}) {
            CAPTURE(tolerance);
            const auto asked = options(tolerance);
            const auto found = tree_errors(asked, bodies, tree_sums(asked, bodies));
            CHECK(median(found) <= tolerance);
        }
    }
}

TEST_CASE("gravity_lengths: distant bodies are not summed by pairs") {
    const Bodies bodies = with_lengths(equal_bodies(Distribution::plummer, 10'000), 1e-6, 0.01);
    const auto asked = options(3e-3);
    const auto found = tree_errors(asked, bodies, tree_sums(asked, bodies));
    CHECK(median(found) <= 3e-3);
    CHECK(median(found) > 3e-6);
}

TEST_CASE("gravity_lengths: no pair within the longer length goes by expansions") {
    TakesTurns taken;
    for (const double longest : {1e-2, 0.1, 1.0}) {
        for (const Distribution distribution : {Distribution::plummer, Distribution::uniform}) {
            for (const double leaf_size : {4.0, 40.0}) {
                if (!taken()) {
                    continue;
                }
                CAPTURE(longest);
                CAPTURE(leaf_size);
                const Bodies bodies = equal_bodies(distribution, 1500);
                check_tree_sums(
                    precise(leaf_size),
                    with_lengths(bodies, 1e-4 * longest, longest),
                    converging_left_out
                );
                check_tree_sums(
                    precise(leaf_size), with_few_long(bodies, longest), converging_left_out
                );
            }
        }
    }
}

TEST_CASE("gravity_lengths: groups whose bodies are within each other's lengths") {
    const Bodies bodies = equal_bodies(Distribution::plummer, 3000);
    for (const double longest : {0.01, 0.3}) {
        for (const int groups : {8, 64}) {
            CAPTURE(longest);
            CAPTURE(groups);
            auto asked = precise(40);
            asked.plan.groups = groups;
            check_tree_sums(
                asked, with_lengths(bodies, 1e-4 * longest, longest), converging_left_out
            );
            check_tree_sums(asked, with_few_long(bodies, longest), converging_left_out);
        }
    }
}

TEST_CASE("gravity_lengths: separations by share and by own error keep lengths, too") {
    const Bodies bodies = with_few_long(random_bodies(2000), 0.3);
    auto by_share = precise(20);
    by_share.plan.heavy_theta = 0.1;
    check_tree_sums(by_share, bodies, converging_left_out);
    auto by_own_error = precise(20);
    by_own_error.own_error = 1e-4;
    check_tree_sums(by_own_error, bodies, converging_left_out);
}

TEST_CASE("gravity_lengths: uneven masses, whose boxes are separated by own error") {
    Bodies bodies = with_lengths(equal_bodies(Distribution::plummer, 9000), 1e-5, 0.1);
    for (std::size_t i = 0; i < bodies.size(); i += 100) {
        bodies.mass[i] *= 1000;
    }
    const auto asked = options(3e-3);
    const auto found = tree_errors(asked, bodies, tree_sums(asked, bodies));
    CHECK(median(found) <= 3e-3);
}

TEST_CASE("gravity_lengths: direct sums are those of extended precision") {
    for (const std::size_t n : {1, 2, 3, 17, 1023, 2077}) {
        CAPTURE(n);
        const Bodies bodies = random_bodies(n);
        check_tree_sums(direct(), with_lengths(bodies, 1e-4, 1), 1e-13);
        check_tree_sums(direct(), with_few_long(bodies, 3), 1e-13);
    }
}

TEST_CASE("gravity_lengths: blocks of a direct sum have their targets' lengths") {
    const Bodies bodies = with_lengths(random_bodies(700), 1e-3, 1);
    auto asked = direct();
    const Accelerations expected = tree_sums(asked, bodies);
    for (const std::size_t sources : {100, 150}) {
        asked.plan.direct.target_block = 50;
        asked.plan.direct.source_block = sources;
        CHECK(difference(tree_sums(asked, bodies), expected) <= 1e-13);
    }
}

TEST_CASE("gravity_lengths: equal lengths are one length, and none are points") {
    for (const double epsilon : {0.0, 0.03}) {
        for (const auto& each : {precise(20), direct()}) {
            CAPTURE(epsilon);
            Bodies bodies = random_bodies(1500);
            auto asked = each;
            asked.softening = Softening::spline;
            asked.epsilon = epsilon;
            const Accelerations expected = tree_sums(asked, bodies);
            bodies.epsilon.assign(bodies.size(), epsilon);
            asked.softening = Softening::splines;
            asked.epsilon = 0;
            CHECK(difference(tree_sums(asked, bodies), expected) <= 1e-12);
        }
    }
}

TEST_CASE("gravity_lengths: bodies at one place") {
    const auto asked = options(1e-3);
    check_tree_sums(asked, {{{{1}, {2}, {3}}}, {4}, {0.5}}, 0);
    check_tree_sums(asked, {{{{0, 2, 2}, {0, 0, 0}, {1, 1, 1}}}, {3, 1, 4}, {0, 0.1, 5}}, 1e-14);
    check_tree_sums(asked, {{{{2, 2, 2}, {1, 1, 1}, {3, 3, 3}}}, {3, 1, 4}, {0, 0, 0.1}}, 1e-14);
    Bodies twice = random_bodies(50);
    for (auto& x : twice.x) {
        const auto own = x;
        x.insert(x.end(), own.begin(), own.end());
    }
    twice.mass.insert(twice.mass.end(), 50, 0.25);
    for (const auto& each : {precise(4), direct()}) {
        check_tree_sums(each, with_lengths(twice, 1e-3, 1), converging_left_out);
    }
}

TEST_CASE("gravity_lengths: momentum is conserved") {
    const Bodies bodies = with_lengths(random_bodies(1000), 1e-4, 1);
    const Accelerations found = tree_sums(direct(), bodies);
    for (const auto& a : found.a) {
        double momentum = 0;
        double scale = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            momentum += bodies.mass[i] * a[i];
            scale += std::abs(bodies.mass[i] * a[i]);
        }
        CHECK(std::abs(momentum) <= 1e-13 * scale);
    }
}

TEST_CASE("gravity_lengths: targets of their own have the lengths of sources") {
    starfmm::Runtime runtime({}, starfmm::Execution::in_order);
    const Bodies bodies = with_lengths(random_bodies(3000), 1e-4, 0.3);
    starfmm::Points<3> targets{random_bodies(1000, 2).x};
    for (std::size_t d = 0; d < 3; ++d) { // some at the places of bodies
        std::copy_n(bodies.x[d].begin(), 100, targets.x[d].begin());
    }
    const auto exact = starfmm::gravity_reference(
        bodies, targets, {0, 1, Softening::splines}, all_indices(targets.size())
    );
    for (const auto& each : {precise(20), direct(), options(1e-2)}) {
        Accelerations found;
        starfmm::GravityTree(runtime, each).evaluate(bodies, targets, found);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            CAPTURE(i);
            const double bound = each.plan.method == Method::direct ? 1e-13
                                 : each.plan.order > 0              ? converging_left_out
                                                                    : 0.1;
            for (std::size_t d = 0; d < 3; ++d) {
                CHECK(std::abs(found.a[d][i] - exact.a[d][i]) <= bound * exact.magnitude[i]);
            }
            CHECK(
                std::abs(found.potential[i] - exact.potential[i]) <=
                bound * exact.potential_magnitude[i]
            );
        }
    }
}

TEST_CASE("gravity_lengths: units are the user's choice") {
    const Bodies bodies = with_lengths(random_bodies(500), 1e-4, 0.3);
    for (const auto& each : {precise(10), direct()}) {
        const Accelerations expected = tree_sums(each, bodies);
        for (const double length : {0x1p-300, 0x1p-70, 0x1p60, 0x1p300}) {
            for (const double mass : {1.0, 0x1p-400, 0x1p300}) {
                CAPTURE(length);
                CAPTURE(mass);
                Bodies scaled = bodies;
                const auto scale = [](std::vector<double>& values, double by) {
                    std::ranges::transform(values, values.begin(), [by](double value) {
                        return by * value;
                    });
                };
                for (auto& x : scaled.x) {
                    scale(x, length);
                }
                scale(scaled.epsilon, length);
                scale(scaled.mass, mass);
                Accelerations found = tree_sums(each, scaled);
                scale(found.potential, length);
                scale(found.potential, 1 / mass);
                for (auto& a : found.a) {
                    scale(a, length);
                    scale(a, 1 / mass);
                    scale(a, length);
                }
                CHECK(difference(found, expected) <= 1e-12);
            }
        }
    }
}

TEST_CASE("gravity_lengths: a far point of another unit, and lengths that vanish beside it") {
    Bodies bodies = random_bodies(300);
    bodies.epsilon.assign(300, 0.01);
    bodies.epsilon[7] = 1e-200;
    bodies.epsilon[8] = std::numeric_limits<double>::denorm_min();
    check_tree_sums(precise(10), bodies, converging_left_out);
    for (auto& x : bodies.x) {
        x[0] = 1e60;
    }
    check_tree_sums(precise(10), bodies, converging_left_out);
}

TEST_CASE("gravity_lengths: bad lengths are refused by name") {
    Bodies bodies = random_bodies(3);
    const auto sums = [&](const GravityTreeOptions& asked) {
        return refusal([&] { static_cast<void>(tree_sums(asked, bodies)); });
    };
    CHECK(sums(direct()) == "bodies.epsilon has 0 values, bodies.mass has 3: must be equal");
    bodies.epsilon = {1, 0, -2};
    CHECK(sums(direct()) == "bodies.epsilon[2] = -2: must not be negative");
    bodies.epsilon[1] = std::nan("");
    CHECK(sums(direct()).starts_with("bodies.epsilon[1]"));
    bodies.epsilon = {1, 1, 1};
    auto asked = options(1e-2);
    asked.softening = Softening::spline;
    CHECK(sums(asked).starts_with("bodies.epsilon: lengths of bodies' own take"));
    asked.softening = Softening::splines;
    asked.epsilon = 1;
    CHECK(sums(asked).starts_with("epsilon: bodies have lengths of their own"));
    asked.epsilon = 0;
    asked.precision = starfmm::Precision::mixed_precision;
    CHECK(sums(asked).starts_with("precision: bodies with softening lengths of their own"));
}
