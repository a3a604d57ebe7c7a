// SPDX-License-Identifier: BSD-3-Clause
// The command line of the N-body driver.
#pragma once

#include "core/io/snapshot.hpp"
#include "core/particles/initial_conditions.hpp"
#include "examples/cli/cli.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace starfmm {

enum class InitialConditions { plummer, galaxies };

/// A file that is written again and again.
struct Series {
    std::string file;        ///< `%d` or `%06d` stands for the step; empty: not asked for
    std::uint64_t every = 0; ///< steps from one to the next; 0: after the last step only

    /// Whether it is written after this step of `steps`.
    [[nodiscard]] bool is_due(std::uint64_t step, std::uint64_t steps) const;

    /// The name after this step.
    /// \throws InputError for a % that stands for nothing
    [[nodiscard]] std::string name(std::uint64_t step) const;

    /// Whether that is the name after some step.
    [[nodiscard]] bool may_write(const std::string& path) const;
};

/// What the options ask for. Empty file names: not asked for.
struct NbodyOptions : DriverOptions {
    InitialConditions initial_conditions = InitialConditions::plummer;
    Encounter encounter;
    Space space = Space::as_in_file; ///< whether a periodic box in `input` is taken as open space
    std::string restart;             ///< snapshot that an old run goes on from
    RunParameters run;               ///< not used with `restart`, but for `steps`
    bool has_steps = false;          ///< whether `run.steps` was given
    Series snapshot;
    Series picture;
    double picture_width = 0; ///< side of the square shown; 0: fitting the bodies
    int picture_pixels = 800; ///< along a side
    Series log{"", 1};
    double max_drift = 0; ///< most that the energy may drift, relative; 0: anything
};

/// Options of the command line, checked as far as possible without reading files. Empty after
/// --help or --version was printed.
/// \throws InputError naming the option, its value and what is allowed
[[nodiscard]] std::optional<NbodyOptions> parse_nbody_options(int argc, char** argv);

} // namespace starfmm
