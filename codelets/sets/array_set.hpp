// SPDX-License-Identifier: BSD-3-Clause
// The codelets that read, write and look at the caller's arrays where they lie.
#pragma once

#include "codelets/sets/operator_set.hpp"

namespace starfmm {

using ArraySet = OperatorSet<ArrayOperators>;

/// Lives as long as the program: StarPU keeps codelets' addresses.
[[nodiscard]] ArraySet& array_set();

} // namespace starfmm
