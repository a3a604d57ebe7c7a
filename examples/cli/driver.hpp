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
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// What is summed: read from files or generated.
struct Problem {
    Points<2> sources;
    std::vector<Strengths> strengths; ///< of each right-hand side
    Points<2> targets;                ///< empty: the sources
    bool separate_targets = false;

    [[nodiscard]] const Points<2>& evaluation_points() const {
        return separate_targets ? targets : sources;
    }
};

/// \throws InputError for unreadable files and bad values
[[nodiscard]] Problem make_problem(const DriverOptions& options);

/// The shipped kernel for the options and the strengths at hand.
[[nodiscard]] KernelSet& choose_kernel(const DriverOptions& options, const Problem& problem);

/// Page-locks the arrays for GPUs, as callers do who use them again and again; makes room for the
/// results.
[[nodiscard]] std::deque<PageLock>
page_lock(const Problem& problem, std::span<Potentials> potentials);

/// Plans and evaluates `warmup + repeat` times; the results of the last one are in `potentials`,
/// one of each right-hand side.
[[nodiscard]] RunReport run_problem(
    const std::string& driver,
    const DriverOptions& options,
    KernelSet& kernel,
    const Problem& problem,
    std::vector<Potentials>& potentials
);

/// Writes what the options ask for, prints the report.
/// \returns 1 if the check failed, else 0
int finish(const RunReport& report, std::span<const Potentials> potentials);

} // namespace starfmm
