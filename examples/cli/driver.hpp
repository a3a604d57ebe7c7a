// SPDX-License-Identifier: BSD-3-Clause
// The steps that drivers of sums share.
#pragma once

#include "examples/cli/cli.hpp"
#include "examples/cli/problem.hpp"
#include "examples/cli/report.hpp"
#include "starfmm/kernel_named.hpp"
#include "starfmm/sum.hpp"

#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// The one of the kernels that the options name.
/// \param is_complex whether strengths are
/// \throws InputError for one that there is not, or that has no gradient, if one is asked for
[[nodiscard]] Kernel kernel_for(
    const std::vector<NamedKernel>& kernels, const DriverOptions& options, bool is_complex = false
);

/// What the options leave open stays open.
[[nodiscard]] Choices choices_of(const PlanOptions& plan);

/// Plans and evaluates `warmup + repeat` times; the results of the last one are in `potentials`,
/// one of each right-hand side; accelerations are in the place of gradients.
[[nodiscard]] RunReport run_problem(
    const std::string& driver,
    const DriverOptions& options,
    const Kernel& kernel,
    const Problem& problem,
    std::vector<Potentials>& potentials
);

/// Writes what the options ask for, prints the report.
/// \returns 1 if the check failed, else 0
int finish(const RunReport& report, const Problem& problem, std::span<const Potentials> potentials);

/// All of the above: a driver of sums in the plane or in space.
/// \param kernels those that the driver finds by name
/// \returns the exit code
int run_sums(
    int argc,
    char** argv,
    const DriverText& text,
    const DriverOptions& defaults,
    const std::vector<NamedKernel>& kernels
);

} // namespace starfmm
