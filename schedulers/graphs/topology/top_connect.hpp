// SPDX-License-Identifier: BSD-3-Clause
// Connectivity of the groups: the one thing that the host waits for and computes itself.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

namespace starfmm {

/// Fills `data.top` (boxes and far lists of the levels above the groups) and each group's
/// neighbours: the groups whose root the group's root is not separated from. Waits for the groups'
/// roots. O(groups^2).
void connect_top(const Runtime& runtime, GeometrySet& codelets, TreeData& data);

} // namespace starfmm
