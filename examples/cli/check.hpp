// SPDX-License-Identifier: BSD-3-Clause
// Whether a driver's results are near enough to direct sums.
#pragma once

#include "examples/cli/report.hpp"

namespace starfmm {

/// Whether the errors are as the tolerance allows: the largest of a target for complex potentials,
/// those in L2 for others, which cross zero. In space gradients may have more.
/// \returns 0, or 1 after saying what exceeds what; 0 if nothing was compared
[[nodiscard]] int verdict(const RunReport& report);

} // namespace starfmm
