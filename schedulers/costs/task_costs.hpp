// SPDX-License-Identifier: BSD-3-Clause
// What an operator's tasks cost on each kind of worker.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "schedulers/costs/unit_costs.hpp"
#include "schedulers/runtime/records.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// Costs of operators in so many dimensions, measured once, on the machines of docs/performance.md.
[[nodiscard]] const TaskCosts& builtin_task_costs(int dimension);

/// What is measured, and what is not, as much slower or faster than built-in costs as what is.
[[nodiscard]] TaskCosts all_task_costs(int dimension, const TaskCosts& measured);

/// Has the tasks of `kernel` predicted by all_task_costs().
void set_task_costs(KernelSet& kernel, const TaskCosts& measured);

/// A worker that computes.
enum class Processor { core, gpu };

/// Seconds that this much work of an operator takes the fastest processor of its kind: the
/// multiply-adds that no unit of work does without, at the peak rate.
[[nodiscard]] double least_seconds(const std::string& name, double work, Processor processor);

/// How many times as fast as the fastest processors work the operators of these costs, at most:
/// above 1, costs are wrong.
[[nodiscard]] double over_peak(const TaskCosts& costs);

/// Costs of operators on one kind of worker, by name.
using FittedCosts = std::map<std::string, TaskCost>;

/// The part of `costs` that is of the first implementation for this kind of worker.
[[nodiscard]] FittedCosts costs_on(Processor processor, const TaskCosts& costs);

/// Times of tasks on one kind of worker, from which costs are fitted.
class TaskTimings {
public:
    explicit TaskTimings(Processor processor) : processor_(processor) {}

    /// Adds the tasks of one run, which all had this order; the shorter of this and an earlier one
    /// of the same number counts.
    void add(std::size_t run, int order, std::span<const TaskRecord> records);

    /// Costs of each operator that ran, near what is `expected` where runs do not tell. Those that
    /// no processor can have are replaced by the ones expected, as much slower or faster as the
    /// other operators are in the middle.
    [[nodiscard]] FittedCosts fit(const FittedCosts& expected) const;

    /// How many times as fast as the fastest processor an operator was in some run: above 1, times
    /// are wrong.
    [[nodiscard]] double over_peak() const;

private:
    /// All tasks of an operator in one run.
    struct Timing {
        int order = 0;
        double n_tasks = 0;
        double work = 0;
        double seconds = 0;
    };

    Processor processor_;
    /// Timings by operator and run.
    std::map<std::string, std::map<std::size_t, Timing>> timings_;
};

} // namespace starfmm
