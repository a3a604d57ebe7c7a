// SPDX-License-Identifier: BSD-3-Clause
// The command line of the drivers of direct gravity.
#pragma once

#include "core/options.hpp"
#include "core/particles/bodies.hpp"
#include "core/particles/distributions.hpp"
#include "examples/cli/cli_parse.hpp"
#include "examples/cli/progress.hpp"
#include "schedulers/graphs/exchange.hpp"
#include "schedulers/plan/gravity.hpp"
#include "schedulers/plan/gravity_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starfmm {

enum class Masses { equal, random };

/// What the options ask for. Empty file names: not asked for.
struct GravityDriverOptions {
    std::size_t n = 65'536; ///< not used with `input`
    Distribution distribution = Distribution::plummer;
    double sigma = 0.1;
    std::uint64_t seed = 1;
    Masses masses = Masses::equal;
    std::string input;
    GravityOptions gravity{.epsilon = 1e-3};
    GravityTreeOptions tree;                    ///< of gravity_tree; epsilon and g are those above
    RuntimeOptions runtime = gravity_runtime(); ///< `profile` is the driver's choice
    int repeat = 1;
    int warmup = 0;
    std::size_t check = 0; ///< bodies compared with extended precision; 0: none
    double tolerance = 0;  ///< of their median error; 0: by the precision
    std::size_t model = 0; ///< largest N of the model's table; 0: none
    ExchangePattern pattern = ExchangePattern::ring; ///< of MPI ranks
    std::string output;
    std::string json;
    std::string trace;
    Telling telling;

    /// The tolerance asked for, or what the precision should reach.
    [[nodiscard]] double allowed_error() const;
};

/// Options of one driver only, beside those that all have.
using GravitySections = std::vector<SectionOf<GravityDriverOptions>>;

/// Options of the command line, checked as far as possible without reading files. Empty after
/// --help or --version was printed.
/// \param driver how the help introduces it
/// \param more options of this driver only
/// \param lacking common options that it does not have
/// \throws InputError naming the option, its value and what is allowed
[[nodiscard]] std::optional<GravityDriverOptions> parse_gravity_options(
    int argc,
    char** argv,
    const DriverText& driver,
    const GravitySections& more,
    std::span<const std::string_view> lacking = {}
);

[[nodiscard]] const char* name_of(GravityPrecision precision);

[[nodiscard]] const char* name_of(Softening softening);

/// Median relative error that accelerations should not exceed.
[[nodiscard]] double allowed_error(GravityPrecision precision);

/// Read from the file or generated: masses sum up to 1.
/// \throws InputError for an unreadable file
[[nodiscard]] Bodies make_bodies(const GravityDriverOptions& options);

} // namespace starfmm
