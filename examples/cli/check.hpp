// SPDX-License-Identifier: BSD-3-Clause
// How far a driver's results are from direct sums, and whether that is near enough.
#pragma once

#include "examples/cli/problem.hpp"
#include "examples/cli/report.hpp"

#include <span>

namespace starfmm {

/// Compares with direct sums at as many random targets as the options say: the largest errors of
/// any right-hand side, into the report.
void check(
    const ExactKernel& kernel,
    const Problem& problem,
    std::span<const Potentials> potentials,
    RunReport& report
);

/// Whether the errors are as the tolerance allows: the largest of a target for harmonic sums, those
/// in L2 for others, which cross zero. In space gradients may have more.
/// \returns 0, or 1 after saying what exceeds what; 0 if nothing was compared
[[nodiscard]] int verdict(const RunReport& report);

} // namespace starfmm
