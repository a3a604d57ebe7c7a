// SPDX-License-Identifier: BSD-3-Clause
// The steps that drivers of sums in the plane and in space share.
#pragma once

#include "core/particles/points.hpp"
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

/// Plans and evaluates `warmup + repeat` times; the results of the last one are in `potentials`,
/// one of each right-hand side.
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

/// The same without results.
int finish(const RunReport& report);

/// All of the above.
/// \returns the exit code
int sum_and_finish(
    const std::string& driver,
    const DriverOptions& options,
    const Kernel& kernel,
    const Problem& problem
);

/// All of the above: a driver of sums in the plane (dimension 2) or in space (3).
/// \param kernels those that the driver finds by name
/// \returns the exit code
int run_sums(
    int argc,
    char** argv,
    const DriverText& text,
    int dimension,
    const std::vector<NamedKernel>& kernels
);

} // namespace starfmm
