// SPDX-License-Identifier: BSD-3-Clause
#include "core/backends.hpp"
#include "schedulers/runtime/machine.hpp"

#include <doctest/doctest.h>
#include <sched.h>

using starfmm::available_cores;
using starfmm::available_gpus;

TEST_CASE("machine: there is a core, and no GPU in a build without CUDA") {
    CHECK(available_cores() >= 1);
    CHECK(available_gpus() >= 0);
    if (!starfmm::with_cuda) {
        CHECK(available_gpus() == 0);
    }
}

TEST_CASE("machine: who is bound to one core has one") {
    cpu_set_t old;
    REQUIRE(sched_getaffinity(0, sizeof old, &old) == 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &old)) {
        ++cpu;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(available_cores() == 1);
    CHECK(starfmm::default_cores() == 1);
    REQUIRE(sched_setaffinity(0, sizeof old, &old) == 0);
    CHECK(starfmm::default_cores() >= 1);
    CHECK(starfmm::default_cores() <= available_cores());
}
