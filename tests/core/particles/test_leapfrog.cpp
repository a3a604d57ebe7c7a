// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/initial_conditions.hpp"
#include "core/particles/leapfrog.hpp"
#include "tests/support/plain_gravity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>

using starfmm::Accelerations;
using starfmm::Conserved;
using starfmm::leapfrog_step;
using starfmm::Particles;

namespace {

/// Makes masses 3/4 and 1/4 at the greatest distance of a Kepler ellipse of semi-major axis 1, with
/// period 2 pi and energy -m1 m2 / 2.
Particles kepler(double eccentricity) {
    Particles particles = starfmm::make_particles(2);
    particles.bodies.mass = {0.75, 0.25};
    const double distance = 1 + eccentricity;
    const double speed = std::sqrt((1 - eccentricity) / (1 + eccentricity));
    particles.bodies.x[0] = {0, distance};
    particles.velocity[1] = {0, speed};
    starfmm::set_centre(particles, {}, {});
    return particles;
}

/// Takes `steps` steps of `dt`; the field's last values are in `accelerations`.
template <class Field>
void integrate(Particles& particles, Accelerations& accelerations, double dt, int steps, Field& f) {
    f(particles.bodies, accelerations);
    for (int step = 0; step < steps; ++step) {
        leapfrog_step(particles, accelerations, dt, f);
    }
}

/// Distance of the first body from its start after one period in `steps` steps.
double closure_error(int steps) {
    Particles particles = kepler(0.5);
    const Particles start = particles;
    PlainGravity gravity;
    Accelerations accelerations;
    integrate(particles, accelerations, 2 * std::numbers::pi / steps, steps, gravity);
    const double dx = particles.bodies.x[0][0] - start.bodies.x[0][0];
    const double dy = particles.bodies.x[1][0] - start.bodies.x[1][0];
    return std::hypot(dx, dy);
}

/// Largest relative error of the energy along one period.
double energy_error(int steps) {
    Particles particles = kepler(0.5);
    PlainGravity gravity;
    Accelerations accelerations;
    const double exact = -0.75 * 0.25 / 2;
    double error = 0;
    gravity(particles.bodies, accelerations);
    for (int step = 0; step < steps; ++step) {
        leapfrog_step(particles, accelerations, 2 * std::numbers::pi / steps, gravity);
        const Conserved now = starfmm::conserved(particles, accelerations.potential);
        error = std::max(error, std::abs(now.energy() / exact - 1));
    }
    return error;
}

} // namespace

TEST_CASE("leapfrog: errors of a Kepler orbit fall with the square of the step") {
    // second order: halving the step divides them by 4, up to terms of fourth order; 400 steps are
    // few enough for those to show and many enough for them to stay below a tenth
    for (const int steps : {400, 800}) {
        CAPTURE(steps);
        CHECK(energy_error(steps) / energy_error(2 * steps) == doctest::Approx(4).epsilon(0.1));
        CHECK(closure_error(steps) / closure_error(2 * steps) == doctest::Approx(4).epsilon(0.1));
    }
    CHECK(energy_error(800) < 1e-3);
}

TEST_CASE("leapfrog: steps backwards lead back") {
    Particles particles = starfmm::make_plummer(40, 1, 5);
    const Particles start = particles;
    PlainGravity gravity{1, 0.1};
    Accelerations accelerations;
    integrate(particles, accelerations, 0.01, 100, gravity);
    CHECK(std::abs(particles.bodies.x[0][0] - start.bodies.x[0][0]) > 1e-2);
    integrate(particles, accelerations, -0.01, 100, gravity);
    for (int d = 0; d < 3; ++d) {
        for (std::size_t i = 0; i < start.size(); ++i) {
            // rounding of 200 steps, which nearby orbits grow by little in one unit of time
            CHECK(std::abs(particles.bodies.x[d][i] - start.bodies.x[d][i]) < 1e-10);
            CHECK(std::abs(particles.velocity[d][i] - start.velocity[d][i]) < 1e-10);
        }
    }
}

TEST_CASE("leapfrog: momenta are conserved to rounding") {
    Particles particles = starfmm::make_plummer(60, 1, 6);
    PlainGravity gravity{1, 0.05};
    Accelerations accelerations;
    gravity(particles.bodies, accelerations);
    const Conserved before = starfmm::conserved(particles, accelerations.potential);
    integrate(particles, accelerations, 0.01, 200, gravity);
    const Conserved after = starfmm::conserved(particles, accelerations.potential);
    // 60 terms in each of 200 steps, each wrong by 1e-16 of its size
    CHECK(starfmm::drift(before, after).momentum < 1e-12);
    CHECK(starfmm::drift(before, after).angular < 1e-12);
}

TEST_CASE("leapfrog: a step evaluates the field once, and a run cut in two is the same run") {
    PlainGravity gravity{1, 0.1};
    Accelerations accelerations;
    Particles whole = starfmm::make_plummer(30, 1, 7);
    Particles cut = whole;
    integrate(whole, accelerations, 0.02, 20, gravity);
    CHECK(gravity.calls == 21);
    integrate(cut, accelerations, 0.02, 7, gravity);
    Accelerations anew; // a restart evaluates anew, too
    integrate(cut, anew, 0.02, 13, gravity);
    CHECK(cut.bodies.x == whole.bodies.x);
    CHECK(cut.velocity == whole.velocity);
}
