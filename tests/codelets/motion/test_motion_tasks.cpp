// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/motion/energies.hpp"
#include "codelets/sets/motion_set.hpp"
#include "core/particles/initial_conditions.hpp"
#include "tests/support/bodies.hpp"

#include <numeric>

TEST_CASE("motion_tasks: advance adds rates times the step") {
    for (const std::size_t n : {0, 1, 7, 1000}) {
        CAPTURE(n);
        std::vector<double> values = Random(1).numbers<double>(n);
        std::vector<double> rates = Random(2).numbers<double>(n);
        const std::vector<double> start = values;
        starfmm::TaskArgs args;
        args.motion.time_step = 0.125;
        call(starfmm::motion_set().get<starfmm::AdvanceTask>().cpu(), args, values, rates);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(values[i] == start[i] + 0.125 * rates[i]); // an eighth is exact
        }
    }
}

TEST_CASE("motion_tasks: energies are those of the particles") {
    constexpr double factor = -3;
    // fewer than a piece, one more than all sums have, several rounds
    for (const std::size_t n : {1, 255, 512 * 256 + 1, 300'000}) {
        CAPTURE(n);
        starfmm::Particles particles = starfmm::make_plummer(n, 1, 5);
        starfmm::Bodies& bodies = particles.bodies;
        bodies.mass = Random(3).numbers<double>(n, 0, 1);
        std::vector<double> of_tree = Random(4).numbers<double>(n, 0, 10);
        std::vector<starfmm::MotionSums> sums(starfmm::n_energies);
        starfmm::TaskArgs args;
        args.motion.potential = factor;
        auto& [x, y, z] = bodies.x;
        auto& [vx, vy, vz] = particles.velocity;
        const auto body = starfmm::motion_set().get<starfmm::EnergiesTask>().cpu();
        call(body, args, sums, bodies.mass, of_tree, x, y, z, vx, vy, vz);
        const starfmm::Conserved found =
            starfmm::conserved(std::accumulate(sums.begin(), sums.end(), starfmm::MotionSums{}));

        std::vector<double> potential(n);
        for (std::size_t i = 0; i < n; ++i) {
            potential[i] = factor * of_tree[i];
        }
        const starfmm::Conserved expected = starfmm::conserved(particles, potential);
        constexpr double rounding = 1e-11; // rounding of 3e5 terms of one sign
        CHECK(found.kinetic == doctest::Approx(expected.kinetic).epsilon(rounding));
        CHECK(found.potential == doctest::Approx(expected.potential).epsilon(rounding));
        CHECK(found.momentum_scale == doctest::Approx(expected.momentum_scale).epsilon(rounding));
        CHECK(found.angular_scale == doctest::Approx(expected.angular_scale).epsilon(rounding));
        const starfmm::Drift drift = starfmm::drift(expected, found);
        CHECK(drift.momentum <= rounding);
        CHECK(drift.angular <= rounding);
    }
}
