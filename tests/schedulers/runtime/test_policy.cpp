// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/runtime/policy.hpp"
#include "tests/support/environment.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using starfmm::choose_policy;
using starfmm::InputError;
using starfmm::policy_names;

namespace {

constexpr starfmm::WorkerCounts cores{2, 0};
constexpr starfmm::WorkerCounts gpu{0, 1};

} // namespace

TEST_CASE("policy: ours and the defaults are among the names") {
    const auto names = policy_names();
    for (const std::string name : {"lws", "dmdas", "eager", "starfmm"}) {
        CHECK(std::find(names.begin(), names.end(), name) != names.end());
    }
    CHECK(choose_policy("", gpu) == "dmdas");
    CHECK(choose_policy("", cores) == "lws");
    CHECK(choose_policy("", {16, 0}) == "starfmm");
}

TEST_CASE("policy: STARPU_SCHED stands for a name that is not given") {
    const Environment policy("STARPU_SCHED", "eager");
    CHECK(choose_policy("", gpu) == "eager");
    CHECK(choose_policy("lws", gpu) == "lws");
    const Environment unknown("STARPU_SCHED", "fastest");
    CHECK_THROWS_AS((void)choose_policy("", cores), InputError);
    const Environment empty("STARPU_SCHED", "");
    CHECK(choose_policy("", cores) == "lws");
}

TEST_CASE("policy: those that assign tasks to workers keep all of them") {
    CHECK(starfmm::shares_among_cores("starfmm"));
    CHECK(starfmm::shares_among_cores("eager"));
    CHECK_FALSE(starfmm::shares_among_cores("lws"));
    CHECK_FALSE(starfmm::shares_among_cores("dmdas"));
    CHECK_FALSE(starfmm::shares_among_cores("heteroprio"));
    CHECK_FALSE(starfmm::shares_among_cores("no such policy"));
}

TEST_CASE("policy: every name is accepted as it is") {
    for (const std::string& name : policy_names()) {
        CHECK(choose_policy(name, cores) == name);
        CHECK(choose_policy(name, gpu) == name);
    }
}

TEST_CASE("policy: other names are rejected with the list") {
    std::string message = "scheduler = fastest: must be one of";
    for (const std::string& name : policy_names()) {
        message += " " + name;
    }
    CHECK_THROWS_WITH_AS((void)choose_policy("fastest", cores), message.c_str(), InputError);
    CHECK_THROWS_AS((void)choose_policy("dmdas ", gpu), InputError);
}
