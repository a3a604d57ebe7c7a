// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/particles.hpp"

#include <doctest/doctest.h>

#include <limits>

using starfmm::check_particles;
using starfmm::Conserved;
using starfmm::InputError;
using starfmm::make_particles;
using starfmm::Particles;
using starfmm::SpaceVector;

namespace {

/// Makes masses 1 and 3 on the x axis that move along y.
Particles two_bodies() {
    Particles particles = make_particles(2);
    particles.bodies.mass = {1, 3};
    particles.id = {1, 2};
    particles.bodies.x[0] = {3, -1};
    particles.velocity[1] = {2, 5};
    return particles;
}

} // namespace

TEST_CASE("particles: energies and momenta are the sums of their definitions") {
    const Conserved sum = starfmm::conserved(two_bodies(), {-4, -2});
    CHECK(sum.kinetic == 0.5 * 1 * 4 + 0.5 * 3 * 25);
    CHECK(sum.potential == 0.5 * (1 * -4 + 3 * -2));
    CHECK(sum.energy() == 39.5 - 5);
    CHECK(sum.momentum == SpaceVector{0, 17, 0});
    CHECK(sum.angular == SpaceVector{0, 0, 1 * 3 * 2 - 3 * 1 * 5});
    CHECK(sum.momentum_scale == 17);
    CHECK(sum.angular_scale == 6 + 15);
}

TEST_CASE("particles: drifts are relative to the energy and to the sizes of momenta") {
    const Conserved start{4, -6, {0, 0, 0}, {0, 0, 5}, 10, 20};
    const Conserved now{4, -6.5, {3, 4, 0}, {0, 2, 5}, 8, 16};
    const starfmm::Drift drift = starfmm::drift(start, now);
    CHECK(drift.energy == 0.25);
    CHECK(drift.momentum == 5.0 / 8);
    CHECK(drift.angular == 2.0 / 16);
    CHECK(starfmm::drift({}, {}).energy == 0); // nothing moves, nothing drifts
    CHECK(starfmm::drift({}, {}).angular == 0);
}

TEST_CASE("particles: the centre of mass goes where it is sent") {
    Particles particles = two_bodies(); // centre of mass at the origin, velocity (0, 17/4, 0)
    starfmm::set_centre(particles, {1, 2, 3}, {0, 0, 7});
    CHECK(particles.bodies.x[0] == std::vector<double>{4, 0});
    CHECK(particles.bodies.x[1] == std::vector<double>{2, 2});
    CHECK(particles.bodies.x[2] == std::vector<double>{3, 3});
    CHECK(particles.velocity[1] == std::vector<double>{2 - 4.25, 5 - 4.25});
    CHECK(particles.velocity[2] == std::vector<double>{7, 7});
}

TEST_CASE("particles: massless ones move without a centre of mass") {
    Particles particles = two_bodies();
    particles.bodies.mass = {0, 0};
    starfmm::set_centre(particles, {1, 0, 0}, {});
    CHECK(particles.bodies.x[0] == std::vector<double>{4, 0});
}

TEST_CASE("particles: bad values are named") {
    Particles particles = two_bodies();
    CHECK_NOTHROW(check_particles(particles));
    particles.bodies.mass[1] = -2;
    CHECK_THROWS_WITH_AS(check_particles(particles), "mass[1] = -2: must be >= 0", InputError);
    particles = two_bodies();
    particles.velocity[2][0] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH_AS(
        check_particles(particles),
        "velocity.z[0] = inf: must be finite and at most 1e+150 in magnitude",
        InputError
    );
    particles = two_bodies();
    particles.bodies.x[1].push_back(0);
    CHECK_THROWS_WITH_AS(
        check_particles(particles), "position.y has 3 values, mass has 2: must be equal", InputError
    );
    particles = two_bodies();
    particles.id.pop_back();
    CHECK_THROWS_WITH_AS(
        check_particles(particles), "id has 1 values, mass has 2: must be equal", InputError
    );
}
