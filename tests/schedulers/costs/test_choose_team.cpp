// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/kernel_set.hpp"
#include "core/expansions/kernels2d.hpp"
#include "schedulers/costs/choose_team.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace starfmm;

namespace {

/// Makes costs of a GPU that is `slower` times slower in arithmetic than the one of the built-in
/// costs, and of cores. Work that only moves points, as sorting does, takes the same time.
MachineCosts machine(double slower) {
    MachineCosts costs{builtin_costs({0, 1}), builtin_costs({1, 0}), {}};
    for (std::size_t i = 0; i < costs.costs.fmm.size(); ++i) {
        const auto unit = static_cast<Unit>(i);
        const bool moves = unit == Unit::once || unit == Unit::level || unit == Unit::point ||
                           unit == Unit::point_level;
        costs.costs.fmm[i] *= moves ? 1 : slower;
    }
    for (double& cost : costs.costs.direct) {
        cost *= slower;
    }
    return costs;
}

Choice choice_of(double slower, std::size_t n, const PlanOptions& options = {}) {
    const KernelSet& kernel = kernel_set<Harmonic<double, false>>();
    return choose_with_team(options, kernel.traits, {n, n, false}, machine(slower), {15, 1});
}

} // namespace

TEST_CASE("choose_team: a GPU far faster than all cores works alone") {
    for (const std::size_t n : {100'000, 1'000'000, 10'000'000}) {
        const Choice choice = choice_of(1, n);
        CHECK(choice.team == Team::gpus);
        CHECK(choice.team_s.gpus > 0);
        CHECK(choice.team_s.gpus < choice.team_s.cores);
    }
}

TEST_CASE("choose_team: cores far faster than a GPU work alone") {
    CHECK(choice_of(1e5, 1'000'000).team == Team::cores);
    PlanOptions options;
    options.plane_waves = starfmm::PlaneWaves::always; // of GPUs
    CHECK(choice_of(1e5, 1'000'000, options).team != Team::cores);
}

TEST_CASE("choose_team: a GPU as fast as the cores works with them") {
    const Choice choice = choice_of(32, 10'000'000);
    CHECK(choice.team == Team::all);
    CHECK(choice.team_s.all < 0.9 * std::min(choice.team_s.gpus, choice.team_s.cores));
}

TEST_CASE("choose_team: who is asked for works") {
    for (const Team team : {Team::gpus, Team::cores, Team::all}) {
        PlanOptions options;
        options.team = team;
        CHECK(choice_of(1, 1'000'000, options).team == team);
        CHECK(choice_of(1e5, 1'000'000, options).team == team);
    }
}

TEST_CASE("choose_team: where one kind of worker is, nothing is chosen") {
    const KernelSet& kernel = kernel_set<Harmonic<double, false>>();
    const ProblemSize size{1'000'000, 1'000'000, false};
    CHECK(choose_with_team({}, kernel.traits, size, machine(1), {0, 1}).team == Team::automatic);
}

TEST_CASE("choose_team: choices of the user's are predicted for each team, too") {
    PlanOptions options;
    options.method = Method::fmm;
    options.levels = 8;
    options.order = 17;
    CHECK(choice_of(1, 1'000'000, options).team == Team::gpus);
    CHECK(choice_of(1e5, 1'000'000, options).team == Team::cores);
    CHECK(choice_of(1, 1'000'000, options).levels == 8);
}
