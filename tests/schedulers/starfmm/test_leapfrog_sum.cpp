// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/starfmm.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using starfmm::Context;
using starfmm::Gravity;
using starfmm::InputError;
using starfmm::Laplace3d;
using starfmm::Leapfrog;
using starfmm::Method;
using starfmm::Sum;

namespace {

using Numbers = std::vector<double>;

/// Two bodies of mass 1/2 on a circle of diameter 1: a period is 2 pi.
struct Binary {
    Numbers x{-0.5, 0, 0, 0.5, 0, 0};
    Numbers v{0, -0.5, 0, 0, 0.5, 0};
    Numbers m{0.5, 0.5};
};

} // namespace

TEST_CASE("leapfrog_sum: two bodies come round, the nearer the shorter the steps") {
    Context context({.cores = 1});
    double last = 1;
    for (const int n_steps : {100, 200, 400}) {
        const Binary bodies;
        Sum gravity(context, Gravity{}, {.sources = bodies.x, .method = Method::direct});
        Leapfrog run(gravity, {bodies.x, bodies.v, bodies.m}, 2 * std::numbers::pi / n_steps);
        run.step(n_steps);
        CHECK(run.time() == doctest::Approx(2 * std::numbers::pi));
        const double off = std::hypot(run.positions()[3] - 0.5, run.positions()[4]);
        CHECK(off < 0.3 * last); // of second order
        last = off;
    }
    CHECK(last < 1e-3);
}

TEST_CASE("leapfrog_sum: a step that fails is not begun") {
    Context context({.cores = 1});
    const Numbers x{-1e150, 0, 0, 1e150, 0, 0};
    const Numbers v{-1e150, 0, 0, 1e150, 0, 0}; // beyond what sums take after a step
    const Binary bodies;
    Sum gravity(context, Gravity{}, {.sources = x, .method = Method::direct});
    Leapfrog run(gravity, {x, v, bodies.m}, 1);
    const Numbers values = run.values();
    CHECK_THROWS_AS(run.step(2), InputError);
    CHECK(run.time() == 0);
    CHECK(run.positions() == x);
    CHECK(run.velocities() == v);
    CHECK(run.values() == values);
}

TEST_CASE("leapfrog_sum: steps back lead back") {
    Context context({.cores = 1});
    const Binary bodies;
    Sum gravity(context, Gravity{.potential = true}, {.sources = bodies.x});
    Leapfrog there(gravity, {bodies.x, bodies.v, bodies.m}, 1e-2);
    there.step(50);
    CHECK(std::abs(there.positions()[0] + 0.5) > 1e-2);
    CHECK(there.values().size() == 8);
    Leapfrog back(gravity, {there.positions(), there.velocities(), bodies.m}, -1e-2);
    back.step(50);
    for (std::size_t i = 0; i < bodies.x.size(); ++i) {
        CHECK(back.positions()[i] == doctest::Approx(bodies.x[i]).epsilon(1e-12).scale(1));
    }
}

TEST_CASE("leapfrog_sum: what does not move bodies is refused") {
    Context context({.cores = 1});
    const Binary bodies;
    Sum potential(context, Laplace3d{}, {.sources = bodies.x});
    CHECK_THROWS_AS(Leapfrog(potential, {bodies.x, bodies.v, bodies.m}, 1), InputError);
    Sum gravity(context, Gravity{}, {.sources = bodies.x});
    CHECK_THROWS_AS(Leapfrog(gravity, {bodies.x, bodies.v, bodies.m}, 0), InputError);
    CHECK_THROWS_AS(Leapfrog(gravity, {bodies.x, bodies.m, bodies.m}, 1), InputError);
    Sum at_targets(context, Gravity{}, {.sources = bodies.x, .targets = bodies.x});
    CHECK_THROWS_AS(Leapfrog(at_targets, {bodies.x, bodies.v, bodies.m}, 1), InputError);
}
