// SPDX-License-Identifier: BSD-3-Clause
// Sorted targets, group by group.
#pragma once

#include "schedulers/graphs/tree_data.hpp"

namespace starfmm {

/// One group keeps the arrays where they are. Several get their parts of a copy in host memory: how
/// many targets each has is known only now.
/// \param positions, permutation, offsets of all targets in tree order; one group takes them over
void distribute_targets(TreeData& data, Handle& positions, Handle& permutation, Handle& offsets);

} // namespace starfmm
