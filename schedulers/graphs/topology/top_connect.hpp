// SPDX-License-Identifier: BSD-3-Clause
// The host connects the groups: the one thing that it waits for and computes itself.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

namespace starfmm {

/// Fills `data.top` (boxes and far lists of the levels above the groups) and each group's
/// neighbours: the groups whose roots are not well separated from the group's root. The function
/// waits for the groups' roots. O(groups^2).
void connect_top(const Runtime& runtime, GeometrySet& codelets, TreeData& data);

} // namespace starfmm
