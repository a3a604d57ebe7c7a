// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/pairs/gravity_model.hpp"

#include <doctest/doctest.h>

using starfmm::fit_gravity;
using starfmm::gravity_cycles;
using starfmm::gravity_time;
using starfmm::GravityFit;
using starfmm::GravityMachine;

namespace {

/// The machine of [MTM13 Table 1 and sec. 6.1]: Tesla M2090, 512 threads a block, two blocks
/// resident.
constexpr GravityMachine m2090{1.3e9, 16, 32, 512, 2, 1, 600};

} // namespace

TEST_CASE("gravity_model: the paper's cycles a pair follow from the paper's time") {
    // 28.4 s for N = 1048576, from which the paper finds 17.2 cycles
    const GravityFit fit = fit_gravity(m2090, 0, 1 << 20, 28.4);
    CHECK(fit.pair_cycles == doctest::Approx(17.2).epsilon(0.01));
    CHECK(gravity_time(m2090, fit, 1 << 20, 1) == doctest::Approx(28.4).epsilon(1e-6));
}

TEST_CASE("gravity_model: linear below a full device, quadratic above it") {
    const double small = gravity_cycles(m2090, 17.2, 2048, 2048);
    const double larger = gravity_cycles(m2090, 17.2, 4096, 4096);
    CHECK(larger / small == doctest::Approx(2).epsilon(0.01)); // idle multiprocessors fill up
    const double full = gravity_cycles(m2090, 17.2, 1 << 15, 1 << 15);
    const double twice = gravity_cycles(m2090, 17.2, 1 << 16, 1 << 16);
    CHECK(twice / full == doctest::Approx(4).epsilon(0.01));
}

TEST_CASE("gravity_model: parts of the sources fill a device that targets do not") {
    GravityMachine machine = m2090;
    machine.most_source_splits = 64;
    const double ratio =
        gravity_cycles(m2090, 17.2, 1024, 1024) / gravity_cycles(machine, 17.2, 1024, 1024);
    CHECK(ratio == doctest::Approx(8).epsilon(0.05)); // two of 16 multiprocessors had work
}

TEST_CASE("gravity_model: devices share the targets") {
    const GravityFit fit{17.2, 1e-3};
    const double one = gravity_time(m2090, fit, 1 << 20, 1) - fit.start_s;
    const double four = gravity_time(m2090, fit, 1 << 20, 4) - fit.start_s;
    CHECK(one / four == doctest::Approx(4).epsilon(1e-3));
}

TEST_CASE("gravity_model: a fit to a small sum still reproduces it") {
    const GravityFit fit = fit_gravity(m2090, 1e-4, 5000, 2e-3);
    CHECK(gravity_time(m2090, fit, 5000, 1) == doctest::Approx(2e-3).epsilon(1e-6));
}
