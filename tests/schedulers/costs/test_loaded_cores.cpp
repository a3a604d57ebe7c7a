// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/initial_conditions.hpp"
#include "schedulers/costs/loaded_cores.hpp"
#include "schedulers/plan/gravity_tree.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

using namespace starfmm;

namespace {

/// Processor time of all threads but the caller.
double seconds_of_others() {
    return seconds_on(CLOCK_PROCESS_CPUTIME_ID) - seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

bool others_compute() {
    constexpr double deadline_s = 20; // deadline of a machine that does much else
    const double start = seconds_of_others();
    const double end = seconds_on(CLOCK_MONOTONIC) + deadline_s;
    while (seconds_on(CLOCK_MONOTONIC) < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (seconds_of_others() - start > 0.05) {
            return true;
        }
    }
    return false;
}

} // namespace

TEST_CASE("loaded_cores: others compute in place of all workers but the caller's") {
    RuntimeOptions options;
    options.cpus = 2;
    options.gpus = 0;
    Runtime runtime(options);
    {
        const LoadedCores loaded(2);
        CHECK(others_compute());
    }
    GravityTree sum(runtime, direct_gravity(0)); // the workers do
    Accelerations out;
    sum.evaluate(make_plummer(100, 1, 1).bodies, out);
    CHECK(out.a[0].size() == 100);
}
