// SPDX-License-Identifier: BSD-3-Clause
// Leaves of a pyramid and one box's interaction lists, for pictures as [GE12 Fig 2.1].
#pragma once

#include "schedulers/plan.hpp"
#include "schedulers/pyramid_data.hpp"

#include <vector>

namespace starfmm {

/// Waits for the topology. Leaves below far boxes of any level of the leaf's ancestors count as
/// far. \param leaf in [0, number of leaves)
[[nodiscard]] std::vector<MeshLeaf> mesh_of(PyramidData& data, std::size_t leaf);

} // namespace starfmm
