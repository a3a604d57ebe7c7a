// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/initial_conditions.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/plan/task_motion.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

using starfmm::Accelerations;
using starfmm::AccelerationsRef;
using starfmm::Bodies;
using starfmm::BodiesRef;
using starfmm::Conserved;
using starfmm::GravityTree;
using starfmm::GravityTreeOptions;
using starfmm::HostMotion;
using starfmm::Particles;
using starfmm::Precision;
using starfmm::Runtime;
using starfmm::TaskMotion;

namespace {

starfmm::RuntimeOptions two_cores() {
    starfmm::RuntimeOptions options;
    options.cpus = 2;
    options.gpus = 0;
    return options;
}

GravityTreeOptions tree_options(Precision precision, int groups) {
    GravityTreeOptions options;
    options.epsilon = 0.05;
    options.g = 3;
    options.precision = precision;
    options.plan.order = 3;
    options.plan.groups = groups;
    options.plan.leaf_size = 30;
    return options;
}

/// Bodies and their accelerations.
struct State {
    Particles particles;
    Accelerations accelerations;

    explicit State(Particles start) : particles(std::move(start)) {}
};

/// Checks that tasks and the host have moved the same bodies to the same places.
void check_equal(const State& by_tasks, const State& by_host) {
    const std::size_t n = by_host.particles.size();
    // tasks may fuse multiplications and additions, and the tree rounds to single precision
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t i = 0; i < n; ++i) {
            const double x = by_host.particles.bodies.x[d][i];
            const double v = by_host.particles.velocity[d][i];
            CHECK(std::abs(by_tasks.particles.bodies.x[d][i] - x) < 1e-6);
            CHECK(std::abs(by_tasks.particles.velocity[d][i] - v) < 1e-5);
        }
    }
    const Accelerations& found = by_tasks.accelerations;
    const Accelerations& expected = by_host.accelerations;
    CHECK(found.potential.size() == n);
    CHECK(found.potential[n / 2] == doctest::Approx(expected.potential[n / 2]).epsilon(1e-4));
    CHECK(found.a[2][0] == doctest::Approx(expected.a[2][0]).epsilon(1e-3));
}

/// Checks that four steps by tasks are four steps of the same field on the host.
void check_steps(const GravityTreeOptions& options, std::size_t n) {
    constexpr double dt = 1.0 / 256;
    Runtime runtime(two_cores());
    const Particles start = starfmm::make_plummer(n, options.g, 4);
    State by_tasks(start);
    State by_host(start);
    GravityTree of_tasks(runtime, options);
    GravityTree of_host(runtime, options);
    const auto sum = [&](const BodiesRef& bodies, const AccelerationsRef& out) {
        const auto factors = of_tasks.sum(bodies, out);
        return starfmm::PlannedSums{factors, of_tasks.n_parts()};
    };
    const auto field = [&](const Bodies& bodies, Accelerations& out) {
        of_host.evaluate(bodies, out);
    };
    TaskMotion tasks(runtime, by_tasks.particles, by_tasks.accelerations, sum);
    HostMotion host(by_host.particles, by_host.accelerations, field);
    tasks.evaluate();
    host.evaluate();
    CHECK(of_tasks.keeps_unit());
    for (int step = 0; step < 4; ++step) {
        tasks.step(dt);
        host.step(dt);
    }
    const Conserved found = tasks.conserved();
    const Conserved expected = host.conserved();
    CHECK(found.kinetic == doctest::Approx(expected.kinetic).epsilon(1e-6));
    CHECK(found.potential == doctest::Approx(expected.potential).epsilon(1e-6));
    tasks.bring_home();
    check_equal(by_tasks, by_host);
}

} // namespace

TEST_CASE("motion: steps by tasks are those of the host, by a tree") {
    for (const int groups : {1, 8}) {
        CAPTURE(groups);
        check_steps(tree_options(Precision::single_precision, groups), scene_size(3000));
        check_steps(tree_options(Precision::double_precision, groups), scene_size(3000));
    }
    check_steps(tree_options(Precision::double_precision, 1), 1);
    check_steps(tree_options(Precision::double_precision, 1), 2);
}

TEST_CASE("motion: steps by tasks are those of the host, of bodies in several parts") {
    auto options = tree_options(Precision::double_precision, 8);
    options.plan.chunks = 3;
    check_steps(options, scene_size(3000));
    options.own_error = 1e-5;
    check_steps(options, scene_size(3000));
}

TEST_CASE("motion: steps by tasks are those of the host, without softening") {
    GravityTreeOptions options;
    options.far_field = starfmm::FarField::harmonics;
    options.precision = Precision::double_precision;
    options.g = 3;
    options.plan.tolerance = 1e-6;
    options.plan.tuning = starfmm::Tuning::builtin;
    check_steps(options, scene_size(3000));
}

TEST_CASE("motion: steps that fail are not begun on the host, and end what tasks move") {
    Runtime runtime(two_cores());
    const Particles start = starfmm::make_plummer(100, 1, 4);
    State by_tasks(start);
    State by_host(start);
    GravityTree gravity(runtime, tree_options(Precision::double_precision, 1));
    bool fails = false;
    const auto check = [&fails] {
        if (fails) {
            throw starfmm::Interrupted("here");
        }
    };
    const auto sum = [&](const BodiesRef& bodies, const AccelerationsRef& out) {
        check();
        return starfmm::PlannedSums{gravity.sum(bodies, out), gravity.n_parts()};
    };
    GravityTree of_host(runtime, tree_options(Precision::double_precision, 1));
    const auto field = [&](const Bodies& bodies, Accelerations& out) {
        of_host.evaluate(bodies, out);
        check();
    };
    TaskMotion tasks(runtime, by_tasks.particles, by_tasks.accelerations, sum);
    HostMotion host(by_host.particles, by_host.accelerations, field);
    tasks.evaluate();
    host.evaluate();
    const Accelerations first = by_host.accelerations;
    fails = true;
    CHECK_THROWS_AS(tasks.step(0.125), starfmm::Interrupted);
    CHECK_THROWS_AS(host.step(0.125), starfmm::Interrupted);
    fails = false;
    const char* const lost =
        "bodies that tasks moved are lost, as a step has failed: start another run";
    CHECK_THROWS_WITH_AS(tasks.step(0.125), lost, starfmm::Error);
    CHECK_THROWS_WITH_AS(tasks.conserved(), lost, starfmm::Error);
    CHECK_THROWS_WITH_AS(tasks.bring_home(), lost, starfmm::Error);
    CHECK(by_host.particles.bodies.x == start.bodies.x);
    CHECK(by_host.particles.velocity == start.velocity);
    CHECK(by_host.accelerations.a == first.a);
    host.step(0.125);
    CHECK(by_host.particles.bodies.x != start.bodies.x);
}
