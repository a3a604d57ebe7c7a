// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels2d.hpp"
#include "schedulers/costs/calibration.hpp"
#include "schedulers/costs/task_costs.hpp"
#include "schedulers/costs/tuning.hpp"
#include "tests/support/busy_core.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace starfmm;

namespace {

/// Seconds of much work of an operator on a core.
double seconds_of(const TaskCosts& costs, const std::string& name) {
    return costs.at(name).cpu.seconds(1e6, 24);
}

/// Costs on one core that two others use, too, and on the core alone.
void compare_busy_and_quiet(KernelSet& kernel) {
    Runtime runtime({1, 0, "", false});
    const MeasuredCosts quiet = measure_costs(runtime, kernel);
    const BusyCore busy_core(2);
    const MeasuredCosts busy = measure_costs(runtime, kernel);
    CHECK(busy.busy > 2); // the test measures what it claims to
    CHECK(is_worth_repeating(busy));
    for (const std::string name : {"starfmm_p2p", "starfmm_direct", "starfmm_m2l", "starfmm_l2p"}) {
        CAPTURE(name);
        const double ratio = seconds_of(busy.tasks, name) / seconds_of(quiet.tasks, name);
        CHECK(ratio > 0.5);
        CHECK(ratio < 2);
    }
}

} // namespace

TEST_CASE("calibration: tasks cost the same where others use the core, too") {
    compare_busy_and_quiet(kernel_set<Harmonic<double, false>>());
}
