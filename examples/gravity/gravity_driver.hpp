// SPDX-License-Identifier: BSD-3-Clause
// The drivers of gravity take these steps.
#pragma once

#include "core/particles/bodies.hpp"
#include "examples/cli/driver.hpp"
#include "schedulers/plan/gravity_tree.hpp"

#include <optional>
#include <vector>

namespace starfmm {

/// Reads the command line, and checks options as far as possible without reading files. Empty after
/// --help or --version was printed.
/// \param driver introduction of the driver in the help, and what it lacks
/// \param n_ranks number of ranks that run: more than one sum directly, at the bodies
/// \throws InputError naming the option, its value and what is allowed
[[nodiscard]] std::optional<DriverOptions>
parse_gravity_options(int argc, char** argv, const DriverText& driver, int n_ranks = 1);

/// What the options ask of direct sums.
[[nodiscard]] GravityTreeOptions direct_options(const DriverOptions& options);

/// Median relative error that accelerations by direct sums should not exceed.
[[nodiscard]] double allowed_error(Precision precision);

[[nodiscard]] Kernel gravity_kernel(Softening law, double epsilon, double g, bool potential);
[[nodiscard]] Kernel gravity_kernel(const DriverOptions& options);

/// Sets what is open of the precision of direct sums, and of the tolerance.
[[nodiscard]] DriverOptions with_tolerance(const DriverOptions& options);

/// The sources of a problem as bodies.
[[nodiscard]] Bodies bodies_of(const Problem& problem);

/// Sets what sums of bodies with softening lengths of their own take: a spline in double precision.
/// Other bodies change nothing.
/// \throws InputError naming an option that does not go with them
void take_lengths(const Problem& problem, DriverOptions& options);

/// Evaluates `warmup + repeat` times, and leaves the last result in `results`.
[[nodiscard]] RunReport
run_gravity(const DriverOptions& options, const Problem& problem, std::vector<Potentials>& results);

/// Sums over the ranks of a program that mpirun or another launcher has started, of which rank 0
/// checks and reports.
/// \returns the exit code; that of bad input on all ranks if one of them has any
/// \throws InputError if the program was built without MPI
int run_over_ranks(int n_ranks, int argc, char** argv, const DriverText& text);

} // namespace starfmm
