// SPDX-License-Identifier: BSD-3-Clause
// The drivers of gravity take these steps.
#pragma once

#include "core/particles/bodies.hpp"
#include "examples/cli/cli.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/plan/gravity_tree.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starfmm {

/// Reads the command line, and checks options as far as possible without reading files. Empty after
/// --help or --version was printed.
/// \param driver introduction of the driver in the help
/// \param lacking options, or captions of whole sections, that the driver does not have
/// \param n_ranks number of ranks that run: more than one sum directly, at the bodies
/// \throws InputError naming the option, its value and what is allowed
[[nodiscard]] std::optional<DriverOptions> parse_gravity_options(
    int argc,
    char** argv,
    const DriverText& driver,
    std::span<const std::string_view> lacking = {},
    int n_ranks = 1
);

/// What the options ask of direct sums.
[[nodiscard]] GravityTreeOptions direct_options(const DriverOptions& options);

/// Median relative error that accelerations by direct sums should not exceed.
[[nodiscard]] double allowed_error(Precision precision);

/// What a driver sums: over the bodies, at themselves or at targets.
struct GravityProblem {
    Bodies bodies;
    std::optional<AnyPoints> targets; ///< empty: the bodies

    /// Number of places that sums are taken at.
    [[nodiscard]] std::size_t n_places() const { return targets ? targets->size() : bodies.size(); }
};

/// Reads the bodies from the file, or generates them: masses sum up to 1.
/// \throws InputError for an unreadable file
[[nodiscard]] Bodies make_bodies(const DriverOptions& options);

/// Makes the bodies, and reads or generates the targets, if any are asked for: in the shape of the
/// bodies.
/// \throws InputError for an unreadable file
[[nodiscard]] GravityProblem make_gravity_problem(const DriverOptions& options);

/// Sets what sums of bodies with softening lengths of their own take: a spline in double precision.
/// Other bodies change nothing.
/// \throws InputError naming an option that does not go with them
void take_lengths(const Bodies& bodies, DriverOptions& options);

/// What is known before a direct sum.
[[nodiscard]] RunReport gravity_report(const DriverOptions& options, const GravityProblem& problem);

/// Evaluates `warmup + repeat` times, and leaves the last result in `out`.
[[nodiscard]] RunReport
run_gravity(const DriverOptions& options, const GravityProblem& problem, Accelerations& out);

/// The errors of accelerations, and of potentials if there are any, at random bodies or targets.
[[nodiscard]] Errors check_gravity(
    const DriverOptions& options, const GravityProblem& problem, const Accelerations& results
);

/// Writes the files that the options ask for, and prints the report.
/// \returns 1 if the check failed, else 0
int finish(const RunReport& report, const Accelerations& results);

/// Sums over the ranks of a program that mpirun or another launcher has started, of which rank 0
/// checks and reports.
/// \returns the exit code; that of bad input on all ranks if one of them has any
/// \throws InputError if the program was built without MPI
int run_over_ranks(int n_ranks, int argc, char** argv, const DriverText& text);

} // namespace starfmm
