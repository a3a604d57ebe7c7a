// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/initial_conditions.hpp"
#include "core/particles/leapfrog.hpp"
#include "examples/nbody/evolution.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/support/plain_gravity.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cmath>

using starfmm::Accelerations;
using starfmm::Context;
using starfmm::Evolution;
using starfmm::InputError;
using starfmm::Method;
using starfmm::Particles;
using starfmm::Precision;
using starfmm::Snapshot;

namespace {

const starfmm::Workers two_cores{.cores = 2, .gpus = 0};

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

Snapshot tree_run(std::size_t n) {
    Snapshot snapshot = start(n, Precision::single_precision);
    snapshot.run.far_field = starfmm::FarField::taylor;
    snapshot.run.sums.method = Method::fmm;
    snapshot.run.sums.tolerance = 1e-3;
    return snapshot;
}

void advance(Evolution& evolution, int steps) {
    for (int step = 0; step < steps; ++step) {
        evolution.advance();
    }
}

/// Twelve steps in one go, and seven and five with a file between them, in every precision.
void check_continuation(Context& context, std::size_t n) {
    const TemporaryFolder folder;
    for (const auto precision :
         {Precision::double_precision, Precision::single_precision, Precision::mixed_precision}) {
        CAPTURE(static_cast<int>(precision));
        Evolution whole(context, start(n, precision));
        advance(whole, 12);
        Evolution cut(context, start(n, precision));
        advance(cut, 7);
        starfmm::write_snapshot(folder.file("cut.hdf5"), cut.snapshot());
        Evolution continued(context, starfmm::read_snapshot(folder.file("cut.hdf5")));
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

TEST_CASE("evolution: steps are leapfrog steps of the direct sum") {
    Context context(two_cores);
    Snapshot snapshot = start(150, Precision::double_precision);
    Particles particles = snapshot.particles;
    Evolution evolution(context, snapshot);
    advance(evolution, 20);
    PlainGravity gravity{1, snapshot.run.epsilon};
    Accelerations accelerations;
    gravity(particles.bodies, accelerations);
    for (int step = 0; step < 20; ++step) {
        starfmm::leapfrog_step(particles, accelerations, 1.0 / 64, gravity);
    }
    const Snapshot& now = evolution.snapshot();
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
    CHECK(evolution.conserved().energy() == doctest::Approx(energy).epsilon(1e-12));
}

TEST_CASE("evolution: the start is measured at step 0 and kept from there") {
    Context context(two_cores);
    Evolution first(context, start(60, Precision::double_precision));
    CHECK(first.snapshot().start.energy() == first.conserved().energy());
    CHECK(first.snapshot().start.kinetic > 0);
    advance(first, 5);
    const Evolution second(context, first.snapshot());
    CHECK(second.snapshot().start.energy() == first.snapshot().start.energy());
    CHECK(second.conserved().energy() == first.conserved().energy());
}

TEST_CASE("evolution: a run that goes on from a file has the same bits") {
    Context context(two_cores);
    check_continuation(context, 700); // several tasks a sum
}

TEST_CASE("evolution: a run on a GPU goes on with the same bits") {
    if (starfmm::available_gpus() == 0) {
        MESSAGE("skipped: no CUDA worker");
        return;
    }
    Context context({.cores = 0, .gpus = 1});
    check_continuation(context, 5000);
}

TEST_CASE("evolution: energies drift little, momenta by rounding") {
    Context context(two_cores);
    Evolution evolution(context, start(300, Precision::double_precision));
    advance(evolution, 200);
    const auto drift = starfmm::drift(evolution.snapshot().start, evolution.conserved());
    // second order in step over softening, (1/64 / 0.05)^2 = 0.1 of an encounter's share of 1/300
    CHECK(drift.energy < 3e-4);
    CHECK(drift.energy > 0);
    CHECK(drift.momentum < 1e-13); // 200 steps of rounding
    CHECK(drift.angular < 1e-13);
}

TEST_CASE("evolution: steps of the fast multipole method follow those of direct sums") {
    Context context(two_cores);
    Evolution exact(context, unsoftened(3000, Method::direct));
    Evolution fmm(context, unsoftened(3000, Method::fmm));
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

TEST_CASE("evolution: a run of the fast multipole method goes on with the same bits") {
    Context context(two_cores);
    const TemporaryFolder folder;
    TakesTurns taken;
    for (const Method method : {Method::automatic, Method::fmm}) {
        if (!taken()) {
            continue;
        }
        Evolution whole(context, unsoftened(20'000, method));
        advance(whole, 3);
        Evolution cut(context, unsoftened(20'000, method));
        CHECK(cut.plan().predicted_fmm_s > 0);
        advance(cut, 2);
        starfmm::write_snapshot(folder.file("cut.hdf5"), cut.snapshot());
        Evolution continued(context, starfmm::read_snapshot(folder.file("cut.hdf5")));
        CHECK(continued.plan().predicted_fmm_s == 0); // nothing left to predict
        CHECK(continued.snapshot().run.sums.method == Method::fmm);
        advance(continued, 1);
        CHECK(whole.snapshot().particles.bodies.x == continued.snapshot().particles.bodies.x);
        CHECK(whole.snapshot().particles.velocity == continued.snapshot().particles.velocity);
        CHECK(whole.conserved().potential == continued.conserved().potential);
    }
}

TEST_CASE("evolution: a run by a tree goes on with the same bits, whenever it was looked at") {
    Context context(two_cores);
    const TemporaryFolder folder;
    Evolution whole(context, tree_run(scene_size(5000)));
    advance(whole, 6);
    Evolution cut(context, tree_run(scene_size(5000)));
    for (int step = 0; step < 4; ++step) {
        cut.advance();
        CHECK(cut.snapshot().step == static_cast<std::uint64_t>(step) + 1);
        CHECK(cut.accelerations().potential[0] < 0);
    }
    CHECK(cut.run().has_tree());
    CHECK(cut.run().sums.order > 0);
    starfmm::write_snapshot(folder.file("cut.hdf5"), cut.snapshot());
    Evolution continued(context, starfmm::read_snapshot(folder.file("cut.hdf5")));
    advance(continued, 2);
    CHECK(whole.snapshot().particles.bodies.x == continued.snapshot().particles.bodies.x);
    CHECK(whole.snapshot().particles.velocity == continued.snapshot().particles.velocity);
    CHECK(whole.conserved().potential == continued.conserved().potential);
}

TEST_CASE("evolution: few bodies by a tree are all in one leaf, and stay there") {
    Context context(two_cores);
    Evolution few(context, tree_run(100));
    CHECK(few.run().has_tree());
    CHECK(few.run().sums.leaf_size == 100);
    const auto errors = few.check(50, 1);
    CHECK(errors.parts.size() == 1);
    CHECK(errors.parts[0].median < 1e-6); // of pairs in single precision
    few.advance();
    Evolution continued(context, few.snapshot());
    CHECK(continued.run().sums == few.run().sums);
}

TEST_CASE("evolution: where there is softening or few bodies, automatic is direct") {
    Context context(two_cores);
    Snapshot softened = unsoftened(60, Method::automatic);
    softened.run.epsilon = 0.05;
    CHECK(starfmm::may_use_fmm(softened.run) == false);
    const Evolution soft(context, softened);
    CHECK(soft.snapshot().run.sums.method == Method::direct);
    CHECK(soft.plan().predicted_fmm_s == 0);
    const Evolution few(context, unsoftened(60, Method::automatic));
    CHECK(few.snapshot().run.sums.method == Method::direct);
    CHECK(few.plan().predicted_fmm_s > few.plan().predicted_direct_s);
    const Evolution direct(context, unsoftened(60, Method::direct));
    CHECK(few.conserved().potential == direct.conserved().potential);
}

TEST_CASE("evolution: the fast multipole method takes no softening") {
    Context context(two_cores);
    Snapshot softened = unsoftened(60, Method::fmm);
    softened.run.epsilon = 0.25;
    CHECK_THROWS_WITH_AS(
        Evolution(context, softened),
        "method = fmm and epsilon = 0.25: the fast multipole method sums without softening: use "
        "epsilon = 0, or method = direct",
        InputError
    );
    Snapshot none = unsoftened(60, Method::fmm);
    none.particles = {};
    CHECK_THROWS_WITH_AS(Evolution(context, none), "no bodies: at least one is needed", InputError);
}

TEST_CASE("evolution: bad bodies and parameters are refused") {
    Context context(two_cores);
    Snapshot snapshot = start(3, Precision::double_precision);
    snapshot.run.epsilon = -1;
    CHECK_THROWS_AS(Evolution(context, snapshot), InputError);
    snapshot = start(3, Precision::double_precision);
    snapshot.particles.bodies.mass[1] = -1;
    CHECK_THROWS_AS(Evolution(context, snapshot), InputError);
    CHECK_THROWS_AS(Evolution(context, Snapshot{}), InputError);
}
