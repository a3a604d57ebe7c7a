// SPDX-License-Identifier: BSD-3-Clause
// The codelets that move bodies.
#pragma once

#include "codelets/sets/operator_set.hpp"

namespace starfmm {

using MotionSet = OperatorSet<MotionOperators>;

/// Lives as long as the program: StarPU keeps codelets' addresses.
[[nodiscard]] MotionSet& motion_set();

} // namespace starfmm
