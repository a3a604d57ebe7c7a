// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/reference/gravity_reference.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "tests/support/bodies3d.hpp"
#include "tests/support/plain_gravity.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::Execution;
using starfmm::GravityTree;
using starfmm::GravityTreeOptions;
using starfmm::InputError;
using starfmm::Precision;
using starfmm::Runtime;
using starfmm::Tuning;

namespace {

GravityTreeOptions options(double tolerance, Precision precision, double g = 1) {
    GravityTreeOptions options;
    options.far_field = starfmm::FarField::harmonics;
    options.g = g;
    options.precision = precision;
    options.plan.tolerance = tolerance;
    options.plan.tuning = Tuning::builtin;
    return options;
}

/// L2 error of the potentials.
double potential_error(const Accelerations& results, const starfmm::GravityReference& exact) {
    long double error = 0;
    long double scale = 0;
    for (std::size_t i = 0; i < results.potential.size(); ++i) {
        error += std::pow(results.potential[i] - exact.potential[i], 2.0L);
        scale += std::pow(exact.potential[i], 2.0L);
    }
    return static_cast<double>(std::sqrt(error / scale));
}

void check_errors(const Bodies& bodies, const Accelerations& results, double g, double tolerance) {
    const auto which = all_indices(bodies.size());
    const auto exact = starfmm::gravity_reference(bodies, 0, g, which);
    CHECK(starfmm::compare(results, exact, which).l2_rel <= 30 * tolerance);
    CHECK(potential_error(results, exact) <= tolerance);
}

void check_sum(const GravityTreeOptions& options) {
    Runtime runtime({}, Execution::in_order);
    const Bodies bodies = random_bodies(3000);
    GravityTree gravity(runtime, options);
    Accelerations out;
    gravity.evaluate(bodies, out);
    check_errors(bodies, out, options.g, options.plan.tolerance);
}

void check_refused(const GravityTreeOptions& options, const std::string& message) {
    Runtime runtime({}, Execution::in_order);
    CHECK_THROWS_WITH_AS(GravityTree(runtime, options), message.c_str(), InputError);
}

} // namespace

TEST_CASE("gravity_harmonics: accelerations and potentials are the exact ones to the tolerance") {
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
        CAPTURE(tolerance);
        check_sum(options(tolerance, Precision::double_precision));
    }
    check_sum(options(1e-6, Precision::mixed_precision, 4.3e-6));
    check_sum(options(1e-5, Precision::single_precision, 6.7e10));
}

TEST_CASE("gravity_harmonics: one object sums bodies that move, come and go") {
    Runtime runtime({}, Execution::in_order);
    GravityTree gravity(runtime, options(1e-7, Precision::double_precision, 2));
    Accelerations out;
    for (const std::size_t n : {1000, 1000, 1, 2, 1700}) {
        CAPTURE(n);
        const Bodies bodies = random_bodies(n, 3 * n + out.size());
        gravity.evaluate(bodies, out);
        REQUIRE(out.size() == n);
        REQUIRE(out.potential.size() == n);
        if (n > 1) {
            check_errors(bodies, out, 2, 1e-7);
        } else {
            CHECK(out.a[2][0] == 0);
            CHECK(out.potential[0] == 0);
        }
    }
}

TEST_CASE("gravity_harmonics: bodies attract each other, except at the same place") {
    Runtime runtime({}, Execution::in_order);
    const Bodies bodies{{{{0, 2, 2}, {0, 0, 0}, {1, 1, 1}}}, {3, 1, 4}};
    Accelerations out;
    GravityTree(runtime, options(1e-9, Precision::double_precision)).evaluate(bodies, out);
    CHECK(out.a[0][0] == doctest::Approx(5.0 / 4).epsilon(1e-12));
    CHECK(out.a[0][1] == doctest::Approx(-3.0 / 4).epsilon(1e-12));
    CHECK(out.a[0][2] == doctest::Approx(-3.0 / 4).epsilon(1e-12));
    CHECK(out.potential[0] == doctest::Approx(-5.0 / 2).epsilon(1e-12));
    CHECK(out.potential[1] == doctest::Approx(-3.0 / 2).epsilon(1e-12));
}

TEST_CASE("gravity_harmonics: options out of range and unreachable tolerances are refused") {
    GravityTreeOptions bad = options(2, Precision::double_precision);
    check_refused(bad, "tolerance = 2: must be in (0, 1)");
    bad = options(1e-6, Precision::double_precision, 1e200);
    check_refused(bad, "g = 1e+200: must be in [-1e+150, 1e+150]");
    check_refused(
        options(1e-7, Precision::mixed_precision),
        "tolerance = 1e-07: pairs in single precision reach 1e-06: use a larger tolerance, or "
        "double precision"
    );
    check_refused(
        options(1e-6, Precision::single_precision),
        "tolerance = 1e-06: single precision reaches 9.5e-06 at best: use a larger tolerance, or "
        "double "
        "precision"
    );
    bad = options(1e-6, Precision::double_precision);
    bad.epsilon = 0.25;
    check_refused(
        bad, "far_field = harmonics: is of points: use epsilon = 0, or far_field = taylor"
    );
    bad.epsilon = 0;
    bad.own_error = 1e-7;
    check_refused(bad, "own_error: is of far_field = taylor: leave it out");
    bad.own_error = 0;
    bad.plan.heavy_theta = 0.3;
    check_refused(bad, "heavy_theta: is of far_field = taylor: leave it out");
    Runtime runtime({}, Execution::in_order);
    Accelerations out;
    GravityTree gravity(runtime, options(1e-6, Precision::double_precision));
    CHECK_THROWS_AS(gravity.evaluate(Bodies{}, out), InputError);
}
