// SPDX-License-Identifier: BSD-3-Clause
// How a quadtree is cut into groups: the boxes above them, from the points of each cell.
#pragma once

#include "codelets/task/codelet.hpp"
#include "core/tree/orthtree.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starfmm {

/// Subtree of a quadtree: its root, and how many points it has.
struct CutGroup {
    int level = 0;
    std::size_t place = 0;     ///< of the root on the curve of its level
    std::size_t top_box = 0;   ///< the root among the boxes of the top
    BoxRange cells{};          ///< that it consists of
    std::size_t n[2] = {0, 0}; ///< [set]: sources; targets of their own
    ProblemPart part;          ///< by how many points there are before it on the curve
};

/// The top, whose leaves are the groups' roots. Its leaves begin where the groups' sources do.
struct QuadtreeCut {
    OrthtreeSize size;
    std::vector<std::uint32_t> nodes; ///< [Orthtree<2>::words(size.n_boxes)]
    std::vector<CutGroup> groups;     ///< in the order of the curve, as the top's leaves
};

/// When a box is cut.
struct CutRule {
    std::size_t wanted = 1;      ///< groups: a box of more than twice that share of all points
    std::size_t most = 1;        ///< groups
    std::uint32_t leaf_size = 1; ///< and of more points than a leaf may have
    std::size_t shares = 1;      ///< of the points, which GPUs get: a box that ill fits one
};

/// Cuts the largest boxes first, at most down to the cells.
/// \param cells of each set, points in the cells before each cell, and in all; none of a set that
/// there is not
[[nodiscard]] QuadtreeCut
cut_quadtree(const std::span<const std::uint32_t> (&cells)[2], const CutRule& rule);

} // namespace starfmm
