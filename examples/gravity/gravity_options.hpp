// SPDX-License-Identifier: BSD-3-Clause
// Options of the drivers of direct gravity are read from the command line here.
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

/// Values of the options. A file name is empty if the file is not asked for.
struct GravityDriverOptions {
    std::size_t n = 65'536; ///< not used with `input`
    Distribution distribution = Distribution::plummer;
    double sigma = 0.1;
    std::uint64_t seed = 1;
    Masses masses = Masses::equal;
    std::string input;
    GravityOptions gravity{.epsilon = 1e-3};
    GravityTreeOptions tree; ///< options of gravity_tree, with epsilon and g from above
    RuntimeOptions runtime = gravity_runtime(); ///< `profile` is the driver's choice
    int repeat = 1;
    int warmup = 0;
    std::size_t check = 0; ///< number of bodies compared with extended precision; 0: none
    double tolerance = 0;  ///< allowed median error of those bodies; 0: chosen by the precision
    std::size_t model = 0; ///< largest N of the model's table; 0: none
    ExchangePattern pattern = ExchangePattern::ring; ///< pattern of exchange between MPI ranks
    std::string output;
    std::string json;
    std::string trace;
    Telling telling;

    /// The tolerance asked for, or the error that the precision should not exceed.
    [[nodiscard]] double allowed_error() const;
};

/// Options of one driver only, besides those that all drivers have.
using GravitySections = std::vector<SectionOf<GravityDriverOptions>>;

/// Reads the command line, and checks options as far as possible without reading files. Empty after
/// --help or --version was printed.
/// \param driver introduction of the driver in the help
/// \param more options of this driver only
/// \param lacking common options that the driver does not have
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

/// Reads the bodies from the file, or generates them: masses sum up to 1.
/// \throws InputError for an unreadable file
[[nodiscard]] Bodies make_bodies(const GravityDriverOptions& options);

} // namespace starfmm
