// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/cost_model.hpp"
#include "schedulers/graphs/grouping.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

using namespace starfmm;

namespace {

double& cost(UnitCosts& costs, Unit unit) {
    return costs.fmm[static_cast<std::size_t>(unit)];
}

} // namespace

TEST_CASE("cost_model: units follow from the shape") {
    const Units units = units_of({1000, 500, true, 2, 0.5, 10});
    const auto of = [&](Unit unit) { return units[static_cast<std::size_t>(unit)]; };
    CHECK(of(Unit::once) == 1);
    CHECK(of(Unit::level) == 2);
    CHECK(of(Unit::point) == 1500);
    CHECK(of(Unit::point_level) == 3000);
    CHECK(of(Unit::point_coefficient) == 15000);
    CHECK(of(Unit::box) == 21);
    CHECK(of(Unit::box_product) == 2100);
    CHECK(of(Unit::shift_coefficient) == 10 * of(Unit::shift));
    CHECK(of(Unit::shift_product) == 100 * of(Unit::shift));
    CHECK(of(Unit::near_pair) == doctest::Approx(of(Unit::near_leaf) * 62.5 * 31.25));
    CHECK(units_of({1000, 1000, false, 2, 0.5, 10})[2] == 1000); // the same points once
    CHECK(direct_units(1000, 500) == DirectUnits{1, 1500, 500'000});
}

TEST_CASE("cost_model: in space coefficients are squares, products cubes of the order") {
    PlanShape shape{8000, 8000, false, 3, 0.5, 10, 3};
    shape.terms_besides = 1.5;
    const Units units = units_of(shape);
    const auto of = [](const Units& all, Unit unit) { return all[static_cast<std::size_t>(unit)]; };
    CHECK(of(units, Unit::point_coefficient) == 8000 * 100);
    CHECK(of(units, Unit::box) == 1 + 8 + 64 + 512);
    CHECK(of(units, Unit::box_product) == 585 * 1000);
    CHECK(of(units, Unit::shift_coefficient) < 100 * of(units, Unit::shift)); // some take fewer
    CHECK(of(units, Unit::shift_product) < 10 * of(units, Unit::shift_coefficient));
    CHECK(of(units, Unit::shift_coefficient) > 9 * of(units, Unit::shift));
    shape.terms_besides = 100; // all are needed anyway
    const Units all = units_of(shape);
    CHECK(of(all, Unit::shift_coefficient) == doctest::Approx(100 * of(all, Unit::shift)));
    CHECK(of(all, Unit::shift_product) == doctest::Approx(1000 * of(all, Unit::shift)));
    CHECK(of(all, Unit::wave) == 0);
    shape.wave_tolerance = 1e-6; // what they cost goes by boxes
    const Units waves = units_of(shape);
    CHECK(of(waves, Unit::wave) == 585 * 100);
    CHECK(of(waves, Unit::shift) == of(all, Unit::shift));
    CHECK(of(waves, Unit::shift_coefficient) == 0);
    CHECK(of(waves, Unit::shift_product) == 0);
    shape.wave_tolerance = 1e-9; // in double they take longer
    CHECK(of(units_of(shape), Unit::wave) > 1.5 * of(waves, Unit::wave));
}

TEST_CASE("cost_model: hardly a leaf of uniform points has more than an octree's leaf size") {
    PlanShape shape{8000, 20'000, true, 3, 0.5, 10, 3, 5};
    CHECK(points_of_octree_leaf(shape) == 160); // for the larger set
    CHECK(octree_leaf_size(shape) == 226);      // 162 + 5 * 12.65
    shape.roots = 4;
    CHECK(points_of_octree_leaf(shape) == doctest::Approx(39.0625));
}

TEST_CASE("cost_model: one CPU worker adds everything up, a GPU has done so already") {
    UnitCosts costs;
    cost(costs, Unit::point) = 1e-6;
    cost(costs, Unit::near_pair) = 1e-8;
    costs.task = 1e-5;
    const PlanShape shape{1000, 1000, false, 0, 0.5, 10}; // 1e6 pairs
    CHECK(predict_fmm(costs, shape, {1, 0}) == doctest::Approx(1e-3 + 1e-2 + 14 * 1e-5));
    CHECK(predict_fmm(costs, shape, {0, 1}) == doctest::Approx(1e-3 + 1e-2));
}

TEST_CASE("cost_model: in one group, P2P runs beside the rest") {
    UnitCosts costs;
    cost(costs, Unit::point) = 1e-6;
    cost(costs, Unit::near_pair) = 1e-8;
    CHECK(predict_fmm(costs, {1000, 1000, false, 0, 0.5, 10}, {2, 0}) == doctest::Approx(1e-2));
}

TEST_CASE("cost_model: groups share the workers") {
    UnitCosts costs;
    cost(costs, Unit::point) = 1e-6;
    const PlanShape shape{1'000'000, 1'000'000, false, 7, 0.5, 10};
    REQUIRE(default_groups(1'000'000, 7, 2, 0) >= 2);
    CHECK(predict_fmm(costs, shape, {2, 0}) == doctest::Approx(0.5));
}

TEST_CASE("cost_model: direct sums by blocks of targets") {
    UnitCosts costs;
    costs.direct = {0, 0, 1e-9};
    CHECK(predict_direct(costs, 10'000, 10'000, {1, 0}) == doctest::Approx(0.1));
    CHECK(predict_direct(costs, 10'000, 10'000, {2, 0}) == doctest::Approx(0.05));
    CHECK(predict_direct(costs, 10'000, 1000, {2, 0}) == doctest::Approx(0.01)); // one block
    CHECK(predict_direct(costs, 10'000, 10'000, {0, 2}) == doctest::Approx(0.1));
}

TEST_CASE("cost_model: fitting finds the costs that made the times") {
    const std::vector<double> expected{1e-5, 1e-8, 1e-9};
    const std::vector<double> costs{4e-5, 2e-8, 0.5e-9};
    std::vector<TimedRun> runs;
    for (const double n : {10.0, 1e2, 1e3, 1e4, 1e5}) {
        for (const double pairs : {n, 10 * n, 100 * n}) {
            const double time = costs[0] + costs[1] * n + costs[2] * pairs;
            runs.push_back({{1, n, pairs}, time});
        }
    }
    const auto fitted = fit_costs(runs, expected);
    for (std::size_t i = 0; i < 3; ++i) {
        // the expectation pulls a little: its weight is a hundredth of one run's
        CHECK(fitted[i] == doctest::Approx(costs[i]).epsilon(0.05));
    }
}

TEST_CASE("cost_model: what runs do not tell apart keeps the proportions expected") {
    // Both units are the same in all runs, so only the sum of their costs is known: 3e-6.
    const std::vector<TimedRun> runs{{{1, 1}, 3e-6}, {{2, 2}, 6e-6}, {{5, 5}, 15e-6}};
    const auto fitted = fit_costs(runs, {2e-9, 1e-9});
    CHECK(fitted[0] == doctest::Approx(2e-6));
    CHECK(fitted[1] == doctest::Approx(1e-6));
}

TEST_CASE("cost_model: fitted costs are not negative") {
    // time falls with the second unit: its best cost would be below zero
    const std::vector<TimedRun> runs{
        {{1, 1}, 1e-3}, {{1, 2}, 0.9e-3}, {{1, 4}, 0.7e-3}, {{1, 8}, 0.3e-3}};
    const auto fitted = fit_costs(runs, {1e-4, 1e-4});
    CHECK(fitted[0] > 0);
    CHECK(fitted[1] >= 0);
    CHECK(fitted[1] < 1e-5);
}

TEST_CASE("cost_model: built-in costs are positive, so that they can be expected") {
    for (const int dimension : {2, 3}) {
        for (const WorkerCounts workers : {WorkerCounts{1, 0}, WorkerCounts{0, 1}}) {
            const UnitCosts& costs = builtin_costs(workers, dimension);
            CHECK(are_plausible(costs, workers, dimension));
            CHECK(std::ranges::all_of(costs.fmm, [](double each) { return each > 0; }));
            CHECK(std::ranges::all_of(costs.direct, [](double each) { return each > 0; }));
        }
    }
    CHECK(builtin_costs({2, 0}).task > 0);
}
