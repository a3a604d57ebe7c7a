// SPDX-License-Identifier: BSD-3-Clause
// Options of starfmm-policies are read from the command line here.
#pragma once

#include "core/options.hpp"
#include "examples/cli/progress.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starfmm {

enum class Workload { pyramid2d, laplace3d, gravity };

/// Values of the options.
struct PoliciesOptions {
    Workload workload = Workload::pyramid2d;
    std::size_t n = 1'000'000;
    double tolerance = 1e-6;
    int groups = 0; ///< number of groups; 0: automatic
    Team team = Team::automatic;
    Tuning tuning = Tuning::measured;
    std::uint64_t seed = 1;
    RuntimeOptions runtime; ///< `scheduler` and `profile` are the program's choice
    std::vector<std::string> policies{"starfmm", "dmda", "dmdas", "heteroprio", "lws", "eager"};
    int repeat = 5;           ///< timed evaluations of each policy and round
    int warmup = 1;           ///< evaluations before them
    int rounds = 1;           ///< number of turns of each policy
    double time_limit_s = 60; ///< time limit of one policy in one round
    std::string json;
    Telling telling;
};

/// Name of the workload on the command line.
[[nodiscard]] const char* name_of(Workload workload);

/// Reads the command line. Empty after --help or --version was printed.
/// \throws InputError naming the option, its value and what is allowed
[[nodiscard]] std::optional<PoliciesOptions> parse_policies_options(int argc, char** argv);

} // namespace starfmm
