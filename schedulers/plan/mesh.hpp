// SPDX-License-Identifier: BSD-3-Clause
// A mesh has the leaves of a tree and one box's interaction lists, for pictures as [GE12 Fig 2.1].
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/plan/plan_info.hpp"

#include <vector>

namespace starfmm {

/// Returns the leaves and their relation to leaf `leaf`, after waiting for the topology. Far leaves
/// are those of the finest level's list, as in [GE12 Fig 2.1]; leaves in the far list of an
/// ancestor have no relation.
/// \param leaf index in [0, number of leaves)
[[nodiscard]] std::vector<MeshLeaf> mesh_of(TreeData& data, std::size_t leaf);

} // namespace starfmm
