// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/initial_conditions.hpp"
#include "core/particles/leapfrog.hpp"
#include "schedulers/plan/simulation.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/support/plain_gravity.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cmath>

using starfmm::Accelerations;
using starfmm::InputError;
using starfmm::Method;
using starfmm::Particles;
using starfmm::Precision;
using starfmm::Runtime;
using starfmm::RuntimeOptions;
using starfmm::Simulation;
using starfmm::Snapshot;

namespace {

RuntimeOptions two_cores() {
    RuntimeOptions options;
    options.cpus = 2;
    options.gpus = 0;
    return options;
}

Snapshot start(std::size_t n, Precision precision) {
    Snapshot snapshot;
    snapshot.particles = starfmm::make_plummer(n, 1, 21);
    snapshot.run.time_step = 1.0 / 64;
    snapshot.run.precision = precision;
    return snapshot;
}

/// A run without softening: it has short steps, which bodies that meet closely need, and a
/// tolerance of 1e-7.
Snapshot unsoftened(std::size_t n, Method method) {
    Snapshot snapshot = start(n, Precision::double_precision);
    snapshot.run.epsilon = 0;
    snapshot.run.time_step = 1.0 / 1024;
    snapshot.run.sums.method = method;
    snapshot.run.sums.tolerance = 1e-7;
    snapshot.run.sums.tuning = starfmm::Tuning::builtin;
    return snapshot;
}

void advance(Simulation& simulation, int steps) {
    for (int step = 0; step < steps; ++step) {
        simulation.advance();
    }
}

/// Twelve steps in one go, and seven and five with a file between them, in every precision.
void check_continuation(Runtime& runtime, std::size_t n) {
    const TemporaryFolder folder;
    for (const auto precision :
         {Precision::double_precision, Precision::single_precision, Precision::mixed_precision}) {
        CAPTURE(static_cast<int>(precision));
        Simulation whole(runtime, start(n, precision));
        advance(whole, 12);
        Simulation cut(runtime, start(n, precision));
        advance(cut, 7);
        starfmm::write_snapshot(folder.file("cut.hdf5"), cut.snapshot());
        Simulation continued(runtime, starfmm::read_snapshot(folder.file("cut.hdf5")));
        advance(continued, 5);
        const Snapshot& a = whole.snapshot();
        const Snapshot& b = continued.snapshot();
        CHECK(a.particles.bodies.x == b.particles.bodies.x);
        CHECK(a.particles.velocity == b.particles.velocity);
        CHECK(a.time == b.time);
        CHECK(a.step == b.step);
        CHECK(whole.conserved().potential == continued.conserved().potential);
    }
}

} // namespace

TEST_CASE("simulation: steps are leapfrog steps of the direct sum") {
    Runtime runtime(two_cores());
    Snapshot snapshot = start(150, Precision::double_precision);
    Particles particles = snapshot.particles;
    Simulation simulation(runtime, snapshot);
    advance(simulation, 20);
    PlainGravity gravity{1, snapshot.run.epsilon};
    Accelerations accelerations;
    gravity(particles.bodies, accelerations);
    for (int step = 0; step < 20; ++step) {
        starfmm::leapfrog_step(particles, accelerations, 1.0 / 64, gravity);
    }
    const Snapshot& now = simulation.snapshot();
    CHECK(now.step == 20);
    CHECK(now.time == 20.0 / 64);
    for (int d = 0; d < 3; ++d) {
        for (std::size_t i = 0; i < particles.size(); ++i) {
            // 150 terms in each of 20 steps, wrong by 1e-16 of accelerations below 1e3
            const double difference = now.particles.bodies.x[d][i] - particles.bodies.x[d][i];
            CHECK(std::abs(difference) < 1e-12);
        }
    }
    const double energy = starfmm::conserved(particles, accelerations.potential).energy();
    CHECK(simulation.conserved().energy() == doctest::Approx(energy).epsilon(1e-12));
}

TEST_CASE("simulation: the start is measured at step 0 and kept from there") {
    Runtime runtime(two_cores());
    Simulation first(runtime, start(60, Precision::double_precision));
    CHECK(first.snapshot().start.energy() == first.conserved().energy());
    CHECK(first.snapshot().start.kinetic > 0);
    advance(first, 5);
    const Simulation second(runtime, first.snapshot());
    CHECK(second.snapshot().start.energy() == first.snapshot().start.energy());
    CHECK(second.conserved().energy() == first.conserved().energy());
}

TEST_CASE("simulation: a run that goes on from a file has the same bits") {
    Runtime runtime(two_cores());
    check_continuation(runtime, 700); // several tasks a sum
}

TEST_CASE("simulation: a run on a GPU goes on with the same bits") {
    if (starfmm::available_gpus() == 0) {
        MESSAGE("skipped: no CUDA worker");
        return;
    }
    RuntimeOptions options;
    options.cpus = 0;
    options.gpus = 1;
    Runtime runtime(options);
    check_continuation(runtime, 5000);
}

TEST_CASE("simulation: energies drift little, momenta by rounding") {
    Runtime runtime(two_cores());
    Simulation simulation(runtime, start(300, Precision::double_precision));
    advance(simulation, 200);
    const auto drift = starfmm::drift(simulation.snapshot().start, simulation.conserved());
    // second order in step over softening, (1/64 / 0.05)^2 = 0.1 of an encounter's share of 1/300
    CHECK(drift.energy < 3e-4);
    CHECK(drift.energy > 0);
    CHECK(drift.momentum < 1e-13); // 200 steps of rounding
    CHECK(drift.angular < 1e-13);
}

TEST_CASE("simulation: steps of the fast multipole method follow those of direct sums") {
    Runtime runtime(two_cores());
    Simulation exact(runtime, unsoftened(3000, Method::direct));
    Simulation fmm(runtime, unsoftened(3000, Method::fmm));
    CHECK(fmm.snapshot().run.sums.method == Method::fmm);
    advance(exact, 5);
    advance(fmm, 5);
    const starfmm::Conserved a = exact.conserved();
    const starfmm::Conserved b = fmm.conserved();
    CHECK(b.potential != a.potential); // another method
    CHECK(b.potential == doctest::Approx(a.potential).epsilon(1e-7));
    CHECK(b.kinetic == doctest::Approx(a.kinetic).epsilon(1e-7));
    // 30 times the tolerance of accelerations below 1e3, for 5/1024
    const auto& x = exact.snapshot().particles.bodies.x[0];
    const auto& y = fmm.snapshot().particles.bodies.x[0];
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(std::abs(x[i] - y[i]) < 30 * 1e-7 * 1e3 * std::pow(5.0 / 1024, 2));
    }
}

TEST_CASE("simulation: a run of the fast multipole method goes on with the same bits") {
    Runtime runtime(two_cores());
    const TemporaryFolder folder;
    TakesTurns taken;
    for (const Method method : {Method::automatic, Method::fmm}) {
        if (!taken()) {
            continue;
        }
        Simulation whole(runtime, unsoftened(20'000, method));
        advance(whole, 3);
        Simulation cut(runtime, unsoftened(20'000, method));
        CHECK(cut.decided().predicted_fmm_s > 0);
        advance(cut, 2);
        starfmm::write_snapshot(folder.file("cut.hdf5"), cut.snapshot());
        Simulation continued(runtime, starfmm::read_snapshot(folder.file("cut.hdf5")));
        CHECK(continued.decided().predicted_fmm_s == 0); // nothing left to predict
        CHECK(continued.snapshot().run.sums.method == Method::fmm);
        advance(continued, 1);
        CHECK(whole.snapshot().particles.bodies.x == continued.snapshot().particles.bodies.x);
        CHECK(whole.snapshot().particles.velocity == continued.snapshot().particles.velocity);
        CHECK(whole.conserved().potential == continued.conserved().potential);
    }
}

TEST_CASE("simulation: where there is softening or few bodies, automatic is direct") {
    Runtime runtime(two_cores());
    Snapshot softened = unsoftened(60, Method::automatic);
    softened.run.epsilon = 0.05;
    CHECK(starfmm::may_use_fmm(softened.run) == false);
    const Simulation soft(runtime, softened);
    CHECK(soft.snapshot().run.sums.method == Method::direct);
    CHECK(soft.decided().predicted_fmm_s == 0);
    const Simulation few(runtime, unsoftened(60, Method::automatic));
    CHECK(few.snapshot().run.sums.method == Method::direct);
    CHECK(few.decided().predicted_fmm_s > few.decided().predicted_direct_s);
    const Simulation direct(runtime, unsoftened(60, Method::direct));
    CHECK(few.conserved().potential == direct.conserved().potential);
}

TEST_CASE("simulation: the fast multipole method takes no softening") {
    Runtime runtime(two_cores());
    Snapshot softened = unsoftened(60, Method::fmm);
    softened.run.epsilon = 0.25;
    CHECK_THROWS_WITH_AS(
        Simulation(runtime, softened),
        "method = fmm and epsilon = 0.25: the fast multipole method sums without softening: use "
        "epsilon = 0, or method = direct",
        InputError
    );
    Snapshot none = unsoftened(60, Method::fmm);
    none.particles = {};
    CHECK_THROWS_WITH_AS(
        Simulation(runtime, none), "no bodies: at least one point is needed", InputError
    );
}

TEST_CASE("simulation: bad bodies and parameters are refused") {
    Runtime runtime(two_cores());
    Snapshot snapshot = start(3, Precision::double_precision);
    snapshot.run.epsilon = -1;
    CHECK_THROWS_AS(Simulation(runtime, snapshot), InputError);
    snapshot = start(3, Precision::double_precision);
    snapshot.particles.bodies.mass[1] = -1;
    CHECK_THROWS_AS(Simulation(runtime, snapshot), InputError);
    CHECK_THROWS_AS(Simulation(runtime, Snapshot{}), InputError);
}
