// SPDX-License-Identifier: BSD-3-Clause
// A picture of boxes and of one box's interaction lists, as [GE12 Fig 2.1].
#pragma once

#include <string>
#include <vector>

namespace starfmm {

/// How a box is filled: plain not at all, self black, far light gray, near dark gray.
enum class MeshColour { plain, self, far, near };

/// A box in the points' coordinates.
struct MeshBox {
    double x_min;
    double x_max;
    double y_min;
    double y_max;
    MeshColour colour;
};

/// Draws the boxes with y upwards, both axes in one scale, and a legend of the colours that occur.
/// \throws InputError if there is no box or a coordinate is not finite; OutputError
void write_mesh_svg(
    const std::string& path, const std::vector<MeshBox>& boxes, const std::string& title
);

} // namespace starfmm
