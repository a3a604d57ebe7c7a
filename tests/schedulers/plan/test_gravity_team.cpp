// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/gravity_team.hpp"

#include <doctest/doctest.h>

using namespace starfmm;

namespace {

/// Predicted seconds of a task on `rows` of n bodies, as StarPU is told.
double predicted_s(const TaskCost& cost, std::size_t rows, std::size_t n) {
    const GravityBlock targets{0, rows, nullptr, {}};
    const GravityBlock all{0, n, nullptr, {}};
    return cost.seconds(gravity_args(targets, all, all, 0));
}

OperatorCosts costs_of(double core_pair_s, double gpu_pair_s) {
    OperatorCosts costs;
    costs.cpu.unit = core_pair_s;
    costs.cuda.fill(gravity_cost_of_gpu(gpu_pair_s));
    return costs;
}

} // namespace

TEST_CASE("gravity_team: few rows are predicted to take a GPU longer than their part of many") {
    constexpr std::size_t n = 1 << 20;
    const TaskCost cost = gravity_cost_of_gpu(1e-12);
    const double many = predicted_s(cost, n, n);
    CHECK(many == doctest::Approx(1e-12 * n * n).epsilon(1e-3));
    const double part_of_many = many * gpu_rows / n;
    const double few = predicted_s(cost, gpu_rows / 4, n);
    const double block = predicted_s(cost, gpu_rows, n);
    CHECK(few > 0.5 * part_of_many);
    CHECK(few < block);
    CHECK(block < 1.5 * part_of_many);
}

TEST_CASE("gravity_team: rows make no difference to a core") {
    constexpr std::size_t n = 1 << 20;
    const TaskCost cost = costs_of(1e-9, 1e-12).cpu;
    const double two = predicted_s(cost, 512, n) - cost.fixed;
    CHECK(two == doctest::Approx(2 * (predicted_s(cost, 256, n) - cost.fixed)));
}

TEST_CASE("gravity_team: all work together only if that gains a tenth") {
    constexpr std::size_t n = 1 << 20;
    const auto team = [](const OperatorCosts& costs, const WorkerCounts& workers) {
        return fastest_team(gravity_team_times(n, costs, workers));
    };
    CHECK(team(costs_of(1e-9, 1e-9), {1, 1}) == Team::all);
    CHECK(team(costs_of(1e-9, 1e-12), {15, 1}) == Team::gpus);
    CHECK(team(costs_of(1e-9, 1e-6), {15, 1}) == Team::cores);
    CHECK(team(costs_of(1e-9, 1e-10), {15, 1}) == Team::all);
    CHECK(team(costs_of(1e-9, 1e-10), {1, 1}) == Team::gpus); // an eleventh
}

TEST_CASE("gravity_team: many workers of a kind are predicted to share its work") {
    constexpr std::size_t n = 1 << 20;
    const OperatorCosts costs = costs_of(1e-9, 1e-12);
    const TeamTimes one = gravity_team_times(n, costs, {1, 1});
    const TeamTimes many = gravity_team_times(n, costs, {10, 4});
    CHECK(many.cores == doctest::Approx(one.cores / 10).epsilon(1e-3));
    CHECK(many.gpus == doctest::Approx(one.gpus / 4).epsilon(0.01));
    CHECK(many.all < many.gpus);
}
