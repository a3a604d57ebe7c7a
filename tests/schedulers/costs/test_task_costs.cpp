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
    TaskTimings timings(Processor::core);
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
            record.processor_s = given.seconds(record.work, 12);
        }
        timings.add(i, 12, records);
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
                measured += record.processor_s;
            }
        }
        REQUIRE(measured > 0);
        CHECK(predicted == doctest::Approx(measured).epsilon(0.05));
    }
}

TEST_CASE("task_costs: times that no core can have are noticed, and not kept") {
    KernelSet& kernel = kernel_set<Harmonic<double, false>>();
    std::vector<const Codelet*> codelets;
    kernel.for_each([&](const Codelet& codelet) { codelets.push_back(&codelet); });
    const FittedCosts expected = costs_on(Processor::core, builtin_task_costs(2));
    const auto timings_of = [&](double p2p_s) {
        TaskTimings timings(Processor::core);
        for (std::size_t run = 0; run < 3; ++run) {
            std::vector<TaskRecord> records;
            for (const Codelet* codelet : codelets) {
                const auto usual = expected.find(codelet->name());
                if (usual != expected.end()) {
                    const double work = 1e6 * static_cast<double>(run + 1);
                    records.push_back(
                        {codelet, 0, 0, 1, work, {}, 2 * usual->second.seconds(work, 24)}
                    );
                    if (codelet->name() == "starfmm_p2p") {
                        records.back().processor_s = p2p_s * work;
                    }
                }
            }
            timings.add(run, 24, records);
        }
        return timings;
    };
    constexpr double work = 1e9;
    const double usual_s = expected.at("starfmm_p2p").seconds(work, 24);
    CHECK(timings_of(1e-9).over_peak() < 1);
    CHECK(
        timings_of(1e-9).fit(expected).at("starfmm_p2p").seconds(work, 24) ==
        doctest::Approx(1).epsilon(0.05)
    );
    const TaskTimings wrong = timings_of(1.4e-11); // 7e10 pairs a second
    CHECK(wrong.over_peak() > 2);
    CHECK(
        wrong.fit(expected).at("starfmm_p2p").seconds(work, 24) ==
        doctest::Approx(2 * usual_s).epsilon(0.2)
    );
    TaskCosts kept = builtin_task_costs(2);
    CHECK(over_peak(kept) < 1);
    kept.at("starfmm_p2p").cpu = {5e-7, 1.4e-11};
    CHECK(over_peak(kept) > 1);
    CHECK(over_peak(builtin_task_costs(3)) < 1);
}
