// SPDX-License-Identifier: BSD-3-Clause
// The command line that all drivers share, and their exit codes.
#pragma once

#include "core/options.hpp"
#include "core/particles/distributions.hpp"
#include "examples/cli/cli_parse.hpp"
#include "examples/cli/progress.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace starfmm {

/// What the options ask for. Empty file names: not asked for.
struct DriverOptions {
    int dimension = 2;         ///< dimension of the points: the driver's, not an option
    std::size_t n = 1'000'000; ///< sources; not used with `input`
    std::size_t targets = 0;   ///< targets; 0: the sources
    Distribution distribution = Distribution::uniform;
    double sigma = 0.1;
    std::uint64_t seed = 1;
    StrengthType strength_type = StrengthType::real;
    StrengthSign strength_sign = StrengthSign::random;
    std::size_t right_hand_sides = 1; ///< sets of strengths, [1, 64]
    std::string input;
    std::string target_input;
    std::string output;
    std::string kernel = "harmonic2d"; ///< one of the names that the driver finds kernels by
    bool gradient = false;             ///< whether gradients are asked for, too
    PlanOptions plan;
    Precision precision = Precision::double_precision; ///< sums in space take it by the tolerance
    RuntimeOptions runtime;                            ///< `profile` is the driver's choice
    int repeat = 1;                                    ///< timed evaluations, >= 1
    int warmup = 0;                                    ///< evaluations before them, not timed
    std::size_t check = 0; ///< targets compared with the direct sum; 0: none
    std::string json;
    std::string trace;
    Telling telling;
    std::string mesh;
};

/// Options of the command line, checked as far as possible without reading files; the folders of
/// output files are known to be writable. Empty after --help or --version was printed.
/// \param driver how the help introduces it
/// \param lacking options of sums that this driver does not have
/// \param dimension 2 or 3; in space the kernel is laplace3d
/// \throws InputError naming the option, its value and what is allowed
std::optional<DriverOptions> parse_command_line(
    int argc,
    char** argv,
    const DriverText& driver,
    std::span<const std::string_view> lacking = {},
    int dimension = 2
);

/// Runs `body` and returns its exit code; the only place that turns exceptions into messages on
/// stderr, in which fields of the library have the names of their options, and exit codes: 2 for
/// InputError, 3 for every other one. A signal that ends the process leaves no temporary file
/// behind.
int run_driver(int argc, char** argv, int (*body)(int, char**));

} // namespace starfmm
