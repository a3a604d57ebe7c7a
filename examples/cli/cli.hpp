// SPDX-License-Identifier: BSD-3-Clause
// The command line that all drivers share, and their exit codes.
#pragma once

#include "core/options.hpp"
#include "core/particles/bodies.hpp"
#include "core/particles/distributions.hpp"
#include "examples/cli/cli_parse.hpp"
#include "examples/cli/progress.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// The drivers that the table of options tells apart, each a bit.
namespace drivers {

enum Kind : unsigned { plane = 1, space = 2, near = 4, gravity = 8, nbody = 16 };

} // namespace drivers

/// What the options ask for. Empty file names: not asked for.
struct DriverOptions {
    drivers::Kind driver = drivers::plane;
    int dimension = 2;         ///< dimension of the points
    std::size_t n = 1'000'000; ///< sources; not used with `input`
    std::size_t targets = 0;   ///< targets; 0: the sources
    Distribution distribution = Distribution::uniform;
    double sigma = 0.1;
    std::uint64_t seed = 1;
    StrengthType strength_type = StrengthType::real;
    StrengthSign strength_sign = StrengthSign::random;
    std::size_t right_hand_sides = 1; ///< sets of strengths, [1, 64]
    std::size_t per_box = 64;         ///< points in every box of a near field
    std::string input;
    std::string target_input;
    std::string output;
    std::string kernel = "harmonic2d"; ///< one of the names that the driver finds kernels by
    bool gradient = false;             ///< whether gradients are asked for, too
    PlanOptions plan; ///< with tolerance 0, of others than sums: by the method and the precision
    Precision precision = Precision::double_precision; ///< automatic: by tolerance and method
    RuntimeOptions runtime;                            ///< `profile` is the driver's choice
    int repeat = 1;                                    ///< timed evaluations, >= 1
    int warmup = 0;                                    ///< evaluations before them, not timed
    std::size_t check = 0; ///< targets compared with the direct sum; 0: none
    std::string json;
    std::string trace;
    Telling telling;
    std::string mesh;

    /// @{ of gravity, and some of runs of bodies
    double epsilon = 1e-3; ///< softening length
    Softening softening = Softening::plummer;
    double g = 1;                   ///< gravitational constant
    bool potential = false;         ///< whether potentials are asked for, too
    bool has_random_masses = false; ///< else they are equal
    double tolerance99 = 1;         ///< GravityTreeOptions::tolerance99
    double own_error = 0;           ///< GravityTreeOptions::own_error
    /// A given option that bodies with softening lengths of their own do not allow; empty: none.
    std::string refuses_lengths;
    bool exchanges_by_doubling = false; ///< pattern of MPI ranks; else a ring

    /// @}

    [[nodiscard]] bool has_targets() const { return targets > 0 || !target_input.empty(); }

    /// What the points' distributions are called.
    [[nodiscard]] Naming naming() const {
        return driver == drivers::space ? Naming::space : Naming::plane;
    }
};

/// Every option of the drivers, but for those of runs of bodies alone.
[[nodiscard]] std::span<const SectionOf<DriverOptions>> option_table();

/// The options of a driver before any is given.
[[nodiscard]] DriverOptions default_options(drivers::Kind driver);

inline constexpr Conflict conflicts_of_sums[]{
    {"leaf-size", "levels"},
    {"input", "n"},
    {"target-input", "targets"},
    {"input", "strengths"},
    {"input", "sign"}};

/// Reads the command line of a driver by the table of all options. Empty after --help or --version
/// was printed.
/// \param text how the help introduces it, and what it lacks
/// \param options the defaults, which what is given replaces
/// \param own options of the driver's own, before those of the table
/// \throws InputError naming the option, its value and what is allowed
std::optional<GivenOptions> read_options(
    int argc,
    char** argv,
    const DriverText& text,
    DriverOptions& options,
    std::span<const Conflict> conflicts = conflicts_of_sums,
    std::vector<Section> own = {}
);

/// Checks names of files, and that those of outputs can be written.
/// \throws InputError, OutputError, WriteError
void check_files(const GivenOptions& given, const DriverOptions& options);

/// Reads the command line of sums in the plane or in space, checked as far as possible without
/// reading files; the folders of output files are known to be writable.
/// \param options the defaults
/// \throws InputError naming the option, its value and what is allowed
std::optional<DriverOptions>
parse_command_line(int argc, char** argv, const DriverText& text, DriverOptions options);

/// Runs `body` and returns its exit code; the only place that turns exceptions into messages on
/// stderr, in which fields of the library have the names of their options, and exit codes: 2 for
/// InputError, 3 for every other one. A signal that ends the process leaves no temporary file
/// behind.
int run_driver(int argc, char** argv, int (*body)(int, char**));

} // namespace starfmm
