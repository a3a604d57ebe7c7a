// SPDX-License-Identifier: BSD-3-Clause
// This header distributes sorted targets to groups.
#pragma once

#include "schedulers/graphs/tree_data.hpp"

namespace starfmm {

/// Gives each group its targets. One group keeps the arrays where they are. Several groups get
/// their parts of a copy in host memory, since the number of targets in each is known only now.
/// \param positions coordinates of all targets in tree order; one group takes the array over
/// \param permutation user indices of all targets in tree order; one group takes the array over
/// \param offsets first target of each leaf; one group takes the array over
void distribute_targets(TreeData& data, Handle& positions, Handle& permutation, Handle& offsets);

} // namespace starfmm
