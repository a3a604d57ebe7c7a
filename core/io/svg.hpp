// SPDX-License-Identifier: BSD-3-Clause
// A picture of boxes and of one box's interaction lists, as [GE12 Fig 2.1].
#pragma once

#include "core/tree/mesh_leaf.hpp"

#include <string>
#include <vector>

namespace starfmm {

/// Draws the boxes with y upwards, both axes in one scale, and a legend of the colours that occur:
/// a box is filled not at all, the box at hand black, far ones light gray, near ones dark gray.
/// \param title of characters that XML takes as they are
/// \throws InputError if there is no box; OutputError
void write_mesh_svg(
    const std::string& path, const std::vector<MeshLeaf>& boxes, const std::string& title
);

} // namespace starfmm
