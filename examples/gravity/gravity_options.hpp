// SPDX-License-Identifier: BSD-3-Clause
// Options of the drivers of gravity are read from the command line here.
#pragma once

#include "core/options.hpp"
#include "core/particles/bodies.hpp"
#include "core/particles/distributions.hpp"
#include "examples/cli/cli_parse.hpp"
#include "examples/cli/progress.hpp"
#include "schedulers/graphs/exchange.hpp"
#include "schedulers/plan/gravity_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace starfmm {

enum class Masses { equal, random };

/// How GravityTree sums: directly, by a tree, or as suits the number of bodies and the tolerance.
enum class GravityMethod { direct, tree, automatic };

/// Values of the options. A file name is empty if the file is not asked for.
struct GravityDriverOptions {
    std::size_t n = 65'536;  ///< not used with `input`
    std::size_t targets = 0; ///< number of targets; 0: the bodies, unless `target_input` has them
    Distribution distribution = Distribution::plummer;
    double sigma = 0.1;
    std::uint64_t seed = 1;
    Masses masses = Masses::equal;
    std::string input;
    std::string target_input;
    GravityMethod method = GravityMethod::direct;
    GravityTreeOptions direct = direct_gravity(1e-3); ///< epsilon, g and result are those of trees
    GravityTreeOptions tree{.epsilon = 1e-3};
    RuntimeOptions runtime = gravity_runtime(); ///< `profile` is the driver's choice
    int repeat = 1;
    int warmup = 0;
    std::size_t check = 0; ///< number of targets compared with extended precision; 0: none
    double tolerance = 0;  ///< median error asked for; 0: by the method and the precision
    std::size_t model = 0; ///< largest N of the model's table; 0: none
    /// A given option that bodies with softening lengths of their own do not allow; empty: none.
    std::string refuses_lengths;
    ExchangePattern pattern = ExchangePattern::ring; ///< pattern of exchange between MPI ranks
    std::string output;
    std::string json;
    std::string trace;
    Telling telling;

    [[nodiscard]] bool has_targets() const { return targets > 0 || !target_input.empty(); }
};

/// Reads the command line, and checks options as far as possible without reading files. Empty after
/// --help or --version was printed.
/// \param driver introduction of the driver in the help
/// \param lacking options, or captions of whole sections, that the driver does not have
/// \param n_ranks number of ranks that run: more than one sum directly, at the bodies
/// \throws InputError naming the option, its value and what is allowed
[[nodiscard]] std::optional<GravityDriverOptions> parse_gravity_options(
    int argc,
    char** argv,
    const DriverText& driver,
    std::span<const std::string_view> lacking = {},
    int n_ranks = 1
);

[[nodiscard]] const char* name_of(Precision precision);

[[nodiscard]] const char* name_of(Softening softening);

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
[[nodiscard]] Bodies make_bodies(const GravityDriverOptions& options);

/// Makes the bodies, and reads or generates the targets, if any are asked for: in the shape of the
/// bodies.
/// \throws InputError for an unreadable file
[[nodiscard]] GravityProblem make_gravity_problem(const GravityDriverOptions& options);

/// Sets what sums of bodies with softening lengths of their own take: a spline in double precision.
/// Other bodies change nothing.
/// \throws InputError naming an option that does not go with them
void take_lengths(const Bodies& bodies, GravityDriverOptions& options);

} // namespace starfmm
