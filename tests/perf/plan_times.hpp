// SPDX-License-Identifier: BSD-3-Clause
// Ways to sum the same points with one runtime are timed in turn.
#pragma once

#include "tests/perf/bench.hpp"

#include <string>
#include <vector>

namespace starfmm {

/// One way to sum, and how long it took.
struct PlanTimes {
    std::string name;
    PlanOptions options;
    PlanInfo info;             ///< information on the plan of the last round
    std::vector<double> total; ///< seconds of each round, from points to potentials
};

/// Makes points with `n` sources as the options describe them.
[[nodiscard]] Problem problem_of(const DriverOptions& options, std::size_t n);

/// Returns the kernel of the options, whose costs on the runtime's workers have been measured, as
/// the first large plan on a machine measures them.
[[nodiscard]] KernelSet& tuned_kernel(Runtime& runtime, const DriverOptions& options);

/// Plans and evaluates each way once a round, in random order, for `rounds` rounds after one that
/// is not counted.
void time_in_turn(
    Runtime& runtime,
    const Problem& problem,
    KernelSet& kernel,
    int rounds,
    std::vector<PlanTimes>& ways
);

/// Returns the way with the least median.
[[nodiscard]] const PlanTimes& fastest(const std::vector<PlanTimes>& ways);

} // namespace starfmm
