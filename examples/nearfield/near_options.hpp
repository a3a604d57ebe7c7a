// SPDX-License-Identifier: BSD-3-Clause
// Options of the near-field driver are read from the command line here.
#pragma once

#include "core/options.hpp"
#include "examples/cli/progress.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace starfmm {

/// Values of the options. An empty name means that the file is not asked for, or the default of the
/// dimension.
struct NearOptions {
    int dimension = 2;
    int height = -1;          ///< levels below the root; -1: 7 in the plane, 4 in space
    std::size_t per_box = 64; ///< points in every box of the finest level
    std::string law; ///< name of the kernel; empty: harmonic in the plane, gravity in space
    Precision precision = Precision::single_precision;
    PairScheme implementation = PairScheme::automatic;
    int groups = 0; ///< PlanOptions::groups
    std::uint64_t seed = 1;
    RuntimeOptions runtime; ///< `profile` is the driver's choice
    int repeat = 1;         ///< timed evaluations, >= 1
    int warmup = 0;         ///< evaluations before them, not timed
    std::size_t check = 0;  ///< points compared with their exact near field; 0: none
    double tolerance = 0;   ///< tolerance of the check; 0: chosen by the precision
    bool table = false;     ///< whether [SL13 Table III] is printed instead of one run
    std::string json;
    std::string trace;
    Telling telling;

    [[nodiscard]] std::string law_name() const;
    [[nodiscard]] int tree_height() const;
    [[nodiscard]] PlanOptions plan() const;

    /// Tolerance of the check.
    [[nodiscard]] double relative_tolerance() const;
};

/// Reads the command line. Empty after --help or --version was printed.
/// \throws InputError naming the option, its value and what is allowed
std::optional<NearOptions> parse_near_options(int argc, char** argv);

} // namespace starfmm
