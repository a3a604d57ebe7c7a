// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/task_costs.hpp"

#include "schedulers/costs/cost_model.hpp"

#include <algorithm>
#include <cstddef>

namespace starfmm {

namespace {

/// How much slower this machine is than the one of the built-in costs, in the middle of operators.
/// \param of one kind of worker's cost among an operator's
template <class Of>
double slowness(const TaskCosts& measured, const TaskCosts& builtin, const Of& of) {
    std::vector<double> ratios;
    for (const auto& [name, costs] : measured) {
        const auto usual = builtin.find(name);
        if (usual != builtin.end() && of(costs).unit > 0) {
            ratios.push_back(of(costs).unit / of(usual->second).unit);
        }
    }
    if (ratios.empty()) {
        return 1;
    }
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    return *middle;
}

/// Of work: what a task takes at any rate, as a GPU's launches, is another matter.
TaskCost times(double factor, const TaskCost& cost) {
    return {cost.fixed, factor * cost.unit, factor * cost.by_grain, factor * cost.by_square};
}

} // namespace

TaskCosts all_task_costs(int dimension, const TaskCosts& measured) {
    const TaskCosts& builtin = builtin_task_costs(dimension);
    const double cpu = slowness(measured, builtin, [](const auto& costs) { return costs.cpu; });
    const double cuda =
        slowness(measured, builtin, [](const auto& costs) { return costs.cuda.front(); });
    TaskCosts all = measured;
    for (const auto& [name, usual] : builtin) {
        OperatorCosts scaled{times(cpu, usual.cpu), {}};
        scaled.cuda.fill(times(cuda, usual.cuda.front()));
        all.try_emplace(name, scaled);
    }
    return all;
}

void set_task_costs(KernelSet& kernel, const TaskCosts& measured) {
    const TaskCosts all = all_task_costs(kernel.traits.dimension, measured);
    kernel.for_each([&](Codelet& codelet) {
        if (const auto found = all.find(codelet.name()); found != all.end()) {
            codelet.set_costs(found->second);
        }
    });
}

void TaskTimings::add(
    std::size_t run, int order, std::span<const TaskRecord> records, double busy
) {
    std::map<std::string, Timing> sums;
    for (const TaskRecord& record : records) {
        Timing& sum = sums[record.codelet->name()];
        sum.order = order;
        sum.n_tasks += 1;
        sum.work += record.work;
        sum.seconds += busy * (record.end_s - record.start_s);
    }
    for (const auto& [name, sum] : sums) {
        const auto [known, is_new] = timings_[name].try_emplace(run, sum);
        if (!is_new && sum.seconds < known->second.seconds) {
            known->second = sum;
        }
    }
}

std::map<std::string, TaskCost> TaskTimings::fit(const std::map<std::string, TaskCost>& expected
) const {
    constexpr double least_s = 1e-8; // a clock's resolution
    std::map<std::string, TaskCost> costs;
    for (const auto& [name, runs] : timings_) {
        std::vector<TimedRun> timed;
        for (const auto& [run, timing] : runs) {
            const double grain = std::max(1, timing.order);
            const double work = timing.work;
            timed.push_back(
                {{timing.n_tasks, work, work / grain, work / (grain * grain)},
                 std::max(least_s, timing.seconds)}
            );
        }
        const auto known = expected.find(name);
        const TaskCost start = known == expected.end() ? TaskCost{1e-6, 1e-9} : known->second;
        // what is not expected at all would never be found
        const double least = start.unit / 1000;
        const std::vector<double> fitted = fit_costs(
            timed,
            {start.fixed,
             start.unit,
             std::max(least, start.by_grain),
             std::max(least, start.by_square)}
        );
        costs[name] = {fitted[0], fitted[1], fitted[2], fitted[3]};
    }
    return costs;
}

} // namespace starfmm
