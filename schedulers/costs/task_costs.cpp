// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/task_costs.hpp"

#include "schedulers/costs/cost_model.hpp"

#include <algorithm>
#include <cstddef>

namespace starfmm {

namespace {

constexpr double least_s = 1e-8; // a clock's resolution

/// How much slower this machine is than the one of the costs expected, in the middle of operators.
double slowness(const FittedCosts& measured, const FittedCosts& expected) {
    std::vector<double> ratios;
    for (const auto& [name, cost] : measured) {
        const auto usual = expected.find(name);
        if (usual != expected.end() && cost.unit > 0) {
            ratios.push_back(cost.unit / usual->second.unit);
        }
    }
    if (ratios.empty()) {
        return 1;
    }
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    return *middle;
}

/// Multiplies the costs of work. What a task takes at any rate, as a GPU's launches, stays.
TaskCost times(double factor, const TaskCost& cost) {
    return {cost.fixed, factor * cost.unit, factor * cost.by_grain, factor * cost.by_square};
}

/// Multiply-adds in single precision that no processor of its kind exceeds in a second: two units
/// of 16 lanes at 6 GHz; of GPUs three times those of an H200.
double peak_rate(Processor processor) {
    return processor == Processor::core ? 2e11 : 1e14;
}

/// Multiply-adds that a unit of work takes at least. A pair has its differences, their squares, the
/// law and its sum; a term at a point is a complex product. M2L leaves out half of its terms, and
/// what only moves points moves eight bytes of each.
double least_multiply_adds(const std::string& name) {
    for (const char* pairs : {"p2p", "p2p_columns", "direct"}) {
        if (name == std::string("starfmm_") + pairs) {
            return 8;
        }
    }
    for (const char* terms : {"p2m", "l2p", "p2l", "m2p"}) {
        if (name == std::string("starfmm_") + terms) {
            return 2;
        }
    }
    return 0.5;
}

/// least_seconds() over what much work is predicted to take.
double over_peak(const std::string& name, const TaskCost& cost, Processor processor) {
    constexpr double work = 1e9; // which leaves nothing of what a task takes at any rate
    constexpr double grain = 24; // terms or points: many, so that little is added for them
    return least_seconds(name, work, processor) / cost.seconds(work, grain);
}

TaskCost expected_cost(const FittedCosts& expected, const std::string& name) {
    const auto known = expected.find(name);
    return known == expected.end() ? TaskCost{1e-6, 1e-9} : known->second;
}

void replace_impossible(FittedCosts& costs, const FittedCosts& expected, Processor processor) {
    FittedCosts possible;
    for (const auto& [name, cost] : costs) {
        if (over_peak(name, cost, processor) <= 1) {
            possible[name] = cost;
        }
    }
    const double middle = slowness(possible, expected);
    for (auto& [name, cost] : costs) {
        if (!possible.contains(name)) {
            const TaskCost usual = expected_cost(expected, name);
            cost = times(std::max(middle, over_peak(name, usual, processor)), usual);
        }
    }
}

} // namespace

FittedCosts costs_on(Processor processor, const TaskCosts& costs) {
    FittedCosts own;
    for (const auto& [name, cost] : costs) {
        own[name] = processor == Processor::core ? cost.cpu : cost.cuda.front();
    }
    return own;
}

double least_seconds(const std::string& name, double work, Processor processor) {
    return work * least_multiply_adds(name) / peak_rate(processor);
}

double over_peak(const TaskCosts& costs) {
    double worst = 0;
    for (const Processor processor : {Processor::core, Processor::gpu}) {
        for (const auto& [name, cost] : costs_on(processor, costs)) {
            worst = std::max(worst, over_peak(name, cost, processor));
        }
    }
    return worst;
}

TaskCosts all_task_costs(int dimension, const TaskCosts& measured) {
    const TaskCosts& builtin = builtin_task_costs(dimension);
    const auto factor = [&](Processor processor) {
        return slowness(costs_on(processor, measured), costs_on(processor, builtin));
    };
    const double cpu = factor(Processor::core);
    const double cuda = factor(Processor::gpu);
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

void TaskTimings::add(std::size_t run, int order, std::span<const TaskRecord> records) {
    std::map<std::string, Timing> sums;
    for (const TaskRecord& record : records) {
        Timing& sum = sums[record.codelet->name()];
        sum.order = order;
        sum.n_tasks += 1;
        sum.work += record.work;
        sum.seconds += record.own_s();
    }
    for (const auto& [name, sum] : sums) {
        const auto [known, is_new] = timings_[name].try_emplace(run, sum);
        if (!is_new && sum.seconds < known->second.seconds) {
            known->second = sum;
        }
    }
}

FittedCosts TaskTimings::fit(const FittedCosts& expected) const {
    FittedCosts costs;
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
        const TaskCost start = expected_cost(expected, name);
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
    replace_impossible(costs, expected, processor_);
    return costs;
}

double TaskTimings::over_peak() const {
    double worst = 0;
    for (const auto& [name, runs] : timings_) {
        for (const auto& [run, timing] : runs) {
            const double least = least_seconds(name, timing.work, processor_);
            worst = std::max(worst, least / std::max(least_s, timing.seconds));
        }
    }
    return worst;
}

} // namespace starfmm
