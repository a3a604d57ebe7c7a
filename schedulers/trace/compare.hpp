// SPDX-License-Identifier: BSD-3-Clause
// A comparison of two runs says what became slower or faster.
#pragma once

#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// Change of an operator on a worker, or on "all CPUs" or "all GPUs", of the same names in both
/// traces.
struct OperatorChange {
    std::string op;
    std::string worker;
    std::size_t tasks_before = 0;
    std::size_t tasks_after = 0;
    double before_s = 0; ///< seconds of all its tasks
    double after_s = 0;
    double ratio = 1; ///< time of a unit of work, after over before; 1 if either has no task
    /// Twice the standard error of the ratio, from the spread of the tasks' times; infinite with
    /// fewer than two tasks on either side.
    double noise = 0;

    /// Whether chance is an unlikely reason for the ratio.
    [[nodiscard]] bool is_real() const;
};

/// Returns the changes, those with the largest change of time first. O(tasks log tasks).
[[nodiscard]] std::vector<OperatorChange> changes_of(const Trace& before, const Trace& after);

/// Writes the runs, the workers' idle times, and the operators, for a terminal.
[[nodiscard]] std::string comparison_text(const Trace& before, const Trace& after);

} // namespace starfmm
