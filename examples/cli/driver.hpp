// SPDX-License-Identifier: BSD-3-Clause
// The steps that drivers of 2D sums share.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "core/particles/points.hpp"
#include "examples/cli/cli.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/plan/plan.hpp"

#include <deque>
#include <memory>
#include <string>

namespace starfmm {

/// What is summed: read from files or generated.
struct Problem {
    Points<2> sources;
    Strengths strengths;
    Points<2> targets; ///< empty: the sources
    bool separate_targets = false;

    [[nodiscard]] const Points<2>& evaluation_points() const {
        return separate_targets ? targets : sources;
    }
};

/// \throws InputError for unreadable files and bad values
[[nodiscard]] Problem make_problem(const DriverOptions& options);

/// The shipped kernel for the options and the strengths at hand.
[[nodiscard]] KernelSet& choose_kernel(const DriverOptions& options, const Strengths& strengths);

/// Page-locks the arrays for GPUs, as callers do who use them again and again; makes room for the
/// results.
[[nodiscard]] std::deque<PageLock> page_lock(const Problem& problem, Potentials& potentials);

/// Plans and evaluates `warmup + repeat` times; the result of the last one is in `potentials`.
[[nodiscard]] RunReport run_problem(
    const std::string& driver,
    const DriverOptions& options,
    KernelSet& kernel,
    const Problem& problem,
    Potentials& potentials
);

/// Writes what the options ask for, prints the report.
/// \returns 1 if the check failed, else 0
int finish(const RunReport& report, const Potentials& potentials);

} // namespace starfmm
