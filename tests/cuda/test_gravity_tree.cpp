// SPDX-License-Identifier: BSD-3-Clause
// Tests compare gravity by a tree on a GPU with the same tree on a core.
#include "schedulers/plan/gravity_tree.hpp"
#include "tests/support/bodies3d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace {

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::GravityTree;
using starfmm::GravityTreeOptions;
using starfmm::Precision;
using starfmm::Runtime;
using starfmm::RuntimeOptions;

constexpr auto in_double = Precision::double_precision;
constexpr auto in_single = Precision::single_precision;
constexpr auto mixed = Precision::mixed_precision;

Bodies plummer_bodies(std::size_t n) {
    return {
        starfmm::make_points<3>(starfmm::Distribution::plummer, n, 0.1, 5).x,
        std::vector<double>(n, 1.0 / static_cast<double>(n))};
}

Accelerations evaluate(Runtime& runtime, const GravityTreeOptions& options, const Bodies& bodies) {
    Accelerations out;
    GravityTree(runtime, options).evaluate(bodies, out);
    return out;
}

/// Largest difference of accelerations, relative to each body's own.
double largest_difference(const Accelerations& found, const Accelerations& expected) {
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        double difference = 0;
        double size = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            difference += std::pow(found.a[d][i] - expected.a[d][i], 2);
            size += std::pow(expected.a[d][i], 2);
        }
        largest = std::max(largest, std::sqrt(difference / size));
    }
    return largest;
}

Accelerations on_core(const GravityTreeOptions& options, const Bodies& bodies) {
    Runtime runtime(RuntimeOptions{1, 0, "", false});
    return evaluate(runtime, options, bodies);
}

Accelerations on_gpu(const GravityTreeOptions& options, const Bodies& bodies) {
    Runtime runtime(RuntimeOptions{0, 1, "", false});
    return evaluate(runtime, options, bodies);
}

void compare(const GravityTreeOptions& options, const Bodies& bodies) {
    const Accelerations found = on_gpu(options, bodies);
    REQUIRE(found.size() == bodies.size());
    const bool is_double = options.precision == in_double;
    CHECK(largest_difference(found, on_core(options, bodies)) <= (is_double ? 1e-11 : 2e-4));
}

GravityTreeOptions options(Precision precision, int order, double epsilon) {
    GravityTreeOptions options;
    options.precision = precision;
    options.epsilon = epsilon;
    options.plan.order = order;
    options.plan.leaf_size = 20;
    return options;
}

} // namespace

TEST_CASE("gravity_tree: each order by CUDA as by CPU") {
    const Bodies bodies = plummer_bodies(5000);
    for (const Precision precision : {in_double, in_single}) {
        for (const int order : {1, 2, 3, 4, 5, 6, 7, 8}) {
            CAPTURE(order);
            compare(options(precision, order, 0.01), bodies);
        }
    }
}

TEST_CASE("gravity_tree: pairs of any softening by CUDA as by CPU") {
    // leaves have all sizes; with the first softening all pairs have split points, with the last
    // rounded ones
    const Bodies bodies = plummer_bodies(20'000);
    for (const double epsilon : {0.0, 1e-4, 1e-3, 0.1}) {
        CAPTURE(epsilon);
        compare(options(in_single, 4, epsilon), bodies);
    }
}

TEST_CASE("gravity_tree: pairs softened by a spline by CUDA as by CPU") {
    // the last support is so large that all bodies are near to each other, in groups, too
    const Bodies bodies = plummer_bodies(5000);
    for (const Precision precision : {in_double, in_single}) {
        for (const double epsilon : {0.0, 1e-4, 0.01, 0.1, 1.0}) {
            for (const int groups : {1, 8}) {
                CAPTURE(epsilon);
                CAPTURE(groups);
                auto spline = options(precision, 4, epsilon);
                spline.softening = starfmm::Softening::spline;
                spline.plan.groups = groups;
                compare(spline, bodies);
            }
        }
    }
}

TEST_CASE("gravity_tree: softening lengths of bodies' own by CUDA as by CPU") {
    for (const double longest : {1e-3, 0.03, 1.0}) {
        for (const std::size_t n : {2, 40, 5000}) {
            Bodies bodies = plummer_bodies(n);
            for (std::size_t i = 0; i < n; ++i) {
                const auto decade = static_cast<double>(i % 41) / 10;
                bodies.epsilon.push_back(i % 50 == 3 ? 0 : longest * std::pow(10.0, -decade));
            }
            for (const int groups : {1, 8}) {
                CAPTURE(longest);
                CAPTURE(n);
                CAPTURE(groups);
                auto asked = options(in_double, 4, 0);
                asked.softening = starfmm::Softening::splines;
                asked.plan.groups = groups;
                compare(asked, bodies);
                asked.plan.method = starfmm::Method::direct;
                compare(asked, bodies);
            }
        }
    }
}

TEST_CASE("gravity_tree: targets of their own by CUDA as by CPU, of bodies with lengths") {
    Bodies bodies = plummer_bodies(5000);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies.epsilon.push_back(0.1 * std::pow(10.0, -static_cast<double>(i % 41) / 10));
    }
    const starfmm::Points<3> targets{plummer_bodies(1000).x};
    for (const auto method : {starfmm::Method::fmm, starfmm::Method::direct}) {
        auto asked = options(in_double, 4, 0);
        asked.softening = starfmm::Softening::splines;
        asked.plan.method = method;
        const auto sums_on = [&](const RuntimeOptions& workers) {
            Runtime runtime(workers);
            Accelerations out;
            GravityTree(runtime, asked).evaluate(bodies, targets, out);
            return out;
        };
        const Accelerations found = sums_on(RuntimeOptions{0, 1, "", false});
        const Accelerations expected = sums_on(RuntimeOptions{1, 0, "", false});
        CHECK(largest_difference(found, expected) <= 1e-11);
    }
}

TEST_CASE("gravity_tree: mixed precision by CUDA as double by CPU") {
    for (const auto softening : {starfmm::Softening::plummer, starfmm::Softening::spline}) {
        for (const double epsilon : {0.0, 1e-12, 1e-6, 1e-3, 0.1, 30.0}) {
            for (const std::size_t n : {2, 40, 20'000}) {
                CAPTURE(epsilon);
                CAPTURE(n);
                const Bodies bodies = plummer_bodies(n);
                auto asked = options(mixed, 4, epsilon);
                asked.softening = softening;
                const Accelerations found = on_gpu(asked, bodies);
                asked.precision = in_double;
                const Accelerations expected = on_core(asked, bodies);
                CHECK(largest_difference(found, expected) <= 3e-5);
                for (std::size_t i = 0; i < n; ++i) {
                    CHECK(
                        std::abs(found.potential[i] - expected.potential[i]) <=
                        -2e-6 * expected.potential[i]
                    );
                }
            }
        }
    }
}

TEST_CASE("gravity_tree: groups by CUDA as by CPU") {
    const Bodies bodies = plummer_bodies(20'000);
    for (const int groups : {8, 64}) {
        CAPTURE(groups);
        auto grouped = options(in_single, 4, 0.01);
        grouped.plan.groups = groups;
        compare(grouped, bodies);
    }
}

TEST_CASE("gravity_tree: leaves of a halo beside those of its core by CUDA as by CPU") {
    // enough leaves that warps take them in turn, and rows of many entries, which are cut
    const Bodies bodies = plummer_bodies(60'000);
    for (const Precision precision : {in_double, in_single, mixed}) {
        auto small = options(precision, 4, 0.01);
        small.plan.leaf_size = 8;
        compare(small, bodies);
    }
}
