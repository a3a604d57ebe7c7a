// SPDX-License-Identifier: BSD-3-Clause
// Leaves of a tree and one box's interaction lists, for pictures as [GE12 Fig 2.1].
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/plan/plan_info.hpp"

#include <vector>

namespace starfmm {

/// Waits for the topology. Far leaves are those of the finest level's list, as in [GE12 Fig 2.1];
/// leaves that an ancestor of the leaf has dealt with are related by nothing.
/// \param leaf in [0, number of leaves)
[[nodiscard]] std::vector<MeshLeaf> mesh_of(TreeData& data, std::size_t leaf);

} // namespace starfmm
