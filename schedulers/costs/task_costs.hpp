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

/// Measured once, on the machines of docs/performance.md: of operators in so many dimensions.
[[nodiscard]] const TaskCosts& builtin_task_costs(int dimension);

/// What is measured, and what is not, as much slower or faster than built-in costs as what is.
[[nodiscard]] TaskCosts all_task_costs(int dimension, const TaskCosts& measured);

/// Has the tasks of `kernel` predicted by all_task_costs().
void set_task_costs(KernelSet& kernel, const TaskCosts& measured);

/// Times of tasks on one kind of worker, from which costs are fitted.
class TaskTimings {
public:
    /// Of one run, whose tasks all had this order; the shorter of this and an earlier one of the
    /// same number counts.
    /// \param busy share of the time in which the tasks' worker was not held up by others
    void add(std::size_t run, int order, std::span<const TaskRecord> records, double busy);

    /// Costs of each operator that ran, near what is `expected` where runs do not tell.
    [[nodiscard]] std::map<std::string, TaskCost>
    fit(const std::map<std::string, TaskCost>& expected) const;

private:
    /// All tasks of an operator in one run.
    struct Timing {
        int order = 0;
        double n_tasks = 0;
        double work = 0;
        double seconds = 0;
    };

    /// By operator and run.
    std::map<std::string, std::map<std::size_t, Timing>> timings_;
};

} // namespace starfmm
