// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels2d.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/costs/task_costs.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <doctest/doctest.h>

using namespace starfmm;

namespace {

/// Each is predicted to take something, longer for more work.
void check_sound(const TaskCosts& costs) {
    for (const auto& entry : costs) {
        CAPTURE(entry.first);
        const OperatorCosts& cost = entry.second;
        const TaskCost all[] = {cost.cpu, cost.cuda[0], cost.cuda[1]};
        for (const TaskCost& kind : all) {
            CHECK(kind.fixed > 0);
            CHECK(kind.seconds(1e6, 17) > kind.seconds(1e3, 17));
            CHECK(kind.seconds(1e6, 1) >= kind.seconds(1e6, 17));
        }
    }
}

} // namespace

TEST_CASE("task_costs: a task takes its share of fixed time, and its work at the order's rate") {
    const TaskCost cost{1e-6, 1e-9, 2e-9, 4e-9};
    CHECK(cost.seconds(0, 10) == 1e-6);
    CHECK(cost.seconds(1000, 1) == doctest::Approx(1e-6 + 7e-6));
    CHECK(cost.seconds(1000, 2) == doctest::Approx(1e-6 + 3e-6));
}

TEST_CASE("task_costs: built-in costs are sound in the plane and in space") {
    for (const int dimension : {2, 3}) {
        check_sound(builtin_task_costs(dimension));
        CHECK(builtin_task_costs(dimension).contains("starfmm_m2l"));
        CHECK(builtin_task_costs(dimension).contains("starfmm_sort"));
    }
}

TEST_CASE("task_costs: what is not measured is slower by what the rest is slower") {
    TaskCosts measured;
    for (const char* const name : {"starfmm_p2m", "starfmm_p2p", "starfmm_sort"}) {
        OperatorCosts costs = builtin_task_costs(2).at(name);
        costs.cpu.unit *= 3;
        measured[name] = costs;
    }
    const TaskCosts all = all_task_costs(2, measured);
    CHECK(all.size() == builtin_task_costs(2).size());
    CHECK(all.at("starfmm_p2m") == measured.at("starfmm_p2m"));
    const OperatorCosts& usual = builtin_task_costs(2).at("starfmm_connect");
    CHECK(all.at("starfmm_connect").cpu.unit == doctest::Approx(3 * usual.cpu.unit));
    CHECK(all.at("starfmm_connect").cuda[0].unit == doctest::Approx(usual.cuda[0].unit));
    CHECK(all_task_costs(2, {}) == builtin_task_costs(2));
}

TEST_CASE("task_costs: fitted costs predict the tasks they were fitted to") {
    RuntimeOptions recorded;
    recorded.profile = true;
    Runtime caller(recorded, Execution::in_order);
    KernelSet& kernel = kernel_set<Harmonic<double, false>>();
    TaskTimings timings;
    const TaskCost given{4e-6, 3e-9};
    starfmm::TaskRecords records;
    const std::size_t sizes[] = {4000, 8000};
    for (std::size_t i = 0; i < 2; ++i) {
        const auto points = make_points<2>(Distribution::uniform, sizes[i], 0.1, 1);
        const auto strengths =
            make_strengths(sizes[i], StrengthSign::random, StrengthType::real, 1);
        PlanOptions options;
        options.method = Method::fmm;
        options.levels = 4;
        options.order = 12;
        caller.clear_records();
        Plan plan(caller, kernel, points, options);
        Potentials out;
        plan.evaluate(strengths, out);
        records = caller.records();
        for (TaskRecord& record : records) { // as on a machine that is not disturbed
            record.end_s = record.start_s + given.seconds(record.work, 12);
        }
        timings.add(i, 12, records, 1);
    }
    std::map<std::string, TaskCost> expected;
    for (const auto& [name, costs] : builtin_task_costs(2)) {
        expected[name] = costs.cpu;
    }
    const auto fitted = timings.fit(expected);
    for (const char* const name : {"starfmm_sort", "starfmm_p2m", "starfmm_m2l", "starfmm_p2p"}) {
        CAPTURE(name);
        REQUIRE(fitted.contains(name));
        double predicted = 0;
        double measured = 0;
        for (const TaskRecord& record : records) { // of the second run
            if (record.codelet->name() == name) {
                predicted += fitted.at(name).seconds(record.work, 12);
                measured += record.end_s - record.start_s;
            }
        }
        REQUIRE(measured > 0);
        CHECK(predicted == doctest::Approx(measured).epsilon(0.05));
    }
}
