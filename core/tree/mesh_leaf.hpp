// SPDX-License-Identifier: BSD-3-Clause
// The leaves of a tree, as pictures have them.
#pragma once

namespace starfmm {

/// One leaf for a picture of the mesh: bounds of its points, and how the box at hand meets it.
struct MeshLeaf {
    double x_min, x_max, y_min, y_max;
    double z_min, z_max; ///< 0 in the plane
    enum class Relation { none, self, far, near } relation;
};

} // namespace starfmm
