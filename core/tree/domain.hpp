// SPDX-License-Identifier: BSD-3-Clause
// Domain: the square or cube whose halves are the boxes of a quadtree or octree.
#pragma once

#include "core/host_device.hpp"

#include <array>

namespace starfmm {

/// The least and most boxes of the third level that the cube of all points is wide if it is not 8
/// of them: a tree's boxes of one level are halves of their parents, but how many of them the
/// points take is another matter.
inline constexpr int min_roots = 4;
inline constexpr int max_roots = 7;

/// Returns the side of the root box, in units of the cube of all points. Half of eight boxes would
/// be a level in vain. The side is a hair more than 8 / roots, so that the last points are in the
/// last of those boxes, not alone in the next one.
STARFMM_HOST_DEVICE constexpr double domain_stretch(int roots) {
    constexpr double hair = 0x1p-40;
    return roots > min_roots ? (1 + hair) * 8.0 / roots : 1.0;
}

/// The square or cube that a tree divides. Unit: the user's.
template <int D>
struct Domain {
    std::array<double, D> corner{}; ///< lowest coordinates
    double side = 1;                ///< > 0
};

} // namespace starfmm
