// SPDX-License-Identifier: BSD-3-Clause
// The steps that drivers of sums in the plane and in space share.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/particles/points.hpp"
#include "examples/cli/cli.hpp"
#include "examples/cli/problem.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/plan/plan.hpp"

#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// The precision asked for; where it is left open, what serves the problem at hand.
[[nodiscard]] Precision choose_precision(const DriverOptions& options, const Problem& problem);

/// The shipped kernel for the options and the strengths at hand. Those of space are in a library of
/// their own, which drivers of the plane do not need.
using KernelChoice = KernelSet& (*)(const DriverOptions& options, const Problem& problem);
[[nodiscard]] KernelSet& plane_kernel(const DriverOptions& options, const Problem& problem);
[[nodiscard]] KernelSet& space_kernel(const DriverOptions& options, const Problem& problem);

/// The one or the other.
[[nodiscard]] KernelSet& choose_kernel(const DriverOptions& options, const Problem& problem);

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
int finish(const RunReport& report, const Problem& problem, std::span<const Potentials> potentials);

/// All of the above: a driver of the shipped kernels of the plane (dimension 2) or of space (3).
/// \param choose plane_kernel or space_kernel
/// \returns the exit code
int run_sums(int argc, char** argv, const DriverText& text, int dimension, KernelChoice choose);

} // namespace starfmm
