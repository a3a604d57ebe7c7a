// SPDX-License-Identifier: BSD-3-Clause
// Gravity of points by solid harmonics, which have what Cartesian expansions do not reach.
#include "core/particles/initial_conditions.hpp"
#include "starfmm/starfmm.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using starfmm::Context;
using starfmm::FarField;
using starfmm::Gravity;
using starfmm::Leapfrog;
using starfmm::Median;
using starfmm::Method;
using starfmm::Precision;
using starfmm::Report;
using starfmm::Sum;
using starfmm::SumOptions;
using starfmm::Tolerance;

namespace {

using Numbers = std::vector<double>;

/// A star cluster.
struct Cluster {
    explicit Cluster(std::size_t n) {
        const starfmm::Particles particles = starfmm::make_plummer(n, 1, 21);
        m = particles.bodies.mass;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t d = 0; d < 3; ++d) {
                x.push_back(particles.bodies.x[d][i]);
                v.push_back(particles.velocity[d][i]);
            }
        }
    }

    Numbers x;
    Numbers v;
    Numbers m;
};

const Gravity points{.g = 3, .potential = true};

SumOptions options(const Numbers& x, const Tolerance& tolerance, Method method = Method::fmm) {
    SumOptions options{.sources = x, .tolerance = tolerance, .method = method};
    options.choices.tuning = starfmm::Tuning::builtin;
    if (method == Method::fmm) {
        options.choices.leaf_size = 60; // GPUs would take one leaf of so few
    }
    return options;
}

/// Checks that a sum keeps its tolerance by solid harmonics.
void check_sum(Sum& sum, const Numbers& masses) {
    const Numbers values = sum(masses);
    CHECK(sum.report().method == Method::fmm);
    CHECK(sum.choices().far_field == FarField::harmonics);
    const starfmm::Errors errors = sum.check(masses, values, 500);
    CHECK(errors.are_allowed);
    CHECK(sum.report().leaves > 1);
}

} // namespace

TEST_CASE("gravity_points: tolerances beyond what Cartesian expansions reach are kept by a tree") {
    Context context({.cores = 2});
    const Cluster bodies(6000);
    for (const double tolerance : {1e-7, 1e-9, 1e-11}) {
        CAPTURE(tolerance);
        Sum sum(context, points, options(bodies.x, tolerance));
        check_sum(sum, bodies.m);
        CHECK(sum.report().precision == Precision::double_precision);
        CHECK(sum.choices().order.value() > 7);
    }
    Sum of_median(context, points, options(bodies.x, Median{1e-8, 1e-7}));
    check_sum(of_median, bodies.m);
    SumOptions mixed = options(bodies.x, 1e-5);
    mixed.precision = Precision::mixed_precision;
    mixed.choices.far_field = FarField::harmonics;
    Sum by_name(context, points, mixed);
    check_sum(by_name, bodies.m);
    CHECK(by_name.report().precision == Precision::mixed_precision);
}

TEST_CASE("gravity_points: masses that differ much, of any sign, and targets of their own") {
    Context context({.cores = 2});
    Cluster bodies(6000);
    for (std::size_t i = 0; i < bodies.m.size(); ++i) {
        bodies.m[i] *= (i % 3 == 0 ? -1.0 : 1.0) * std::pow(10.0, static_cast<double>(i % 7));
    }
    Sum sum(context, points, options(bodies.x, 1e-8));
    check_sum(sum, bodies.m);
    SumOptions with_targets = options(bodies.x, 1e-8);
    Numbers y = bodies.v;
    std::copy_n(bodies.x.begin(), 30, y.begin()); // ten of them at bodies
    with_targets.targets = y;
    Sum at_targets(context, points, with_targets);
    check_sum(at_targets, bodies.m);
}

TEST_CASE("gravity_points: every pair is summed where that is predicted to take less") {
    Context context({.cores = 2});
    const Cluster few(2500);
    Sum sum(context, points, options(few.x, 1e-10, Method::automatic));
    const Numbers values = sum(few.m);
    const Report report = sum.report();
    REQUIRE(report.predicted_fmm_s > 0);
    const bool is_direct = report.predicted_direct_s < report.predicted_fmm_s;
    CHECK(report.method == (is_direct ? Method::direct : Method::fmm));
    CHECK(sum.check(few.m, values, 300).are_allowed);
    sum.move(few.x);
    CHECK(sum(few.m).size() == values.size());
    CHECK(sum.report().method == report.method);
    Sum closed(context, points, options(few.x, 1e-10, Method::direct));
    CHECK(closed.report().predicted_fmm_s == 0);
}

TEST_CASE("gravity_points: points that move keep the choice, where it is a tree") {
    Context context({.cores = 2});
    const Cluster bodies(20'000);
    Sum sum(context, points, options(bodies.x, 1e-5, Method::automatic));
    const Numbers values = sum(bodies.m);
    CHECK(sum.choices().far_field == FarField::harmonics);
    const int order = sum.choices().order.value();
    sum.move(bodies.x);
    CHECK(sum(bodies.m) == values);
    CHECK(sum.choices().order == order);
    CHECK(sum.report().predicted_fmm_s < sum.report().predicted_direct_s);
}

TEST_CASE("gravity_points: bodies that tasks move follow those of direct sums, and go on") {
    Context context({.cores = 2});
    const Cluster bodies(scene_size(4000));
    const double dt = 1.0 / 1024;
    Sum direct(context, points, options(bodies.x, 1e-8, Method::direct));
    Sum sum(context, points, options(bodies.x, 1e-8));
    Leapfrog exact(direct, {bodies.x, bodies.v, bodies.m}, dt);
    Leapfrog whole(sum, {bodies.x, bodies.v, bodies.m}, dt);
    exact.step(3);
    whole.step(3);
    double largest = 0;
    for (std::size_t i = 0; i < bodies.x.size(); ++i) {
        largest = std::max(largest, std::abs(whole.positions()[i] - exact.positions()[i]));
    }
    // 30 times the tolerance of accelerations below 1e4, for 3/1024
    CHECK(largest < 30 * 1e-8 * 1e4 * std::pow(3.0 / 1024, 2));
    CHECK(whole.conserved().energy() == doctest::Approx(exact.conserved().energy()).epsilon(1e-8));
    SumOptions going_on = options(bodies.x, 1e-8);
    going_on.choices = sum.choices();
    CHECK(going_on.choices.far_field == FarField::harmonics);
    Sum other(context, points, going_on);
    Leapfrog rest(other, {whole.positions(), whole.velocities(), bodies.m}, dt);
    CHECK(rest.values() == whole.values());
    whole.step(2);
    rest.step(2);
    CHECK(rest.positions() == whole.positions());
    CHECK(rest.conserved().potential == whole.conserved().potential);
}

TEST_CASE("gravity_points: what solid harmonics do not have is refused") {
    Context context({.cores = 1});
    const Numbers x{0, 0, 0, 1, 0, 0};
    SumOptions harmonic = options(x, 1e-6);
    harmonic.choices.far_field = FarField::harmonics;
    const Gravity soft{.softening = starfmm::Plummer{0.1}};
    CHECK(refusal([&] {
              const Sum sum(context, soft, harmonic);
          }) == "far_field = harmonics: is of points: use epsilon = 0, or far_field = taylor");
    CHECK(refusal([&] {
              const Sum sum(context, starfmm::Laplace3d{}, harmonic);
          }) == "far_field: is of gravity alone; leave it out");
}
