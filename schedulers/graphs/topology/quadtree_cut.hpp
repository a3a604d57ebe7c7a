// SPDX-License-Identifier: BSD-3-Clause
// A quadtree is cut into groups: this header makes the boxes above them from the points of each
// cell.
#pragma once

#include "codelets/task/codelet.hpp"
#include "codelets/tree/cells.hpp"
#include "core/tree/orthtree.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starfmm {

/// Subtree of a quadtree: its root and its number of points.
struct CutGroup {
    int level = 0;
    std::size_t place = 0;     ///< place of the root on the curve of its level
    std::size_t top_box = 0;   ///< index of the root among the boxes of the top
    BoxRange cells{};          ///< cells of the subtree
    std::size_t n[2] = {0, 0}; ///< [set]: sources; targets of their own
    ProblemPart part; ///< part of the problem, by the number of points before it on the curve
};

/// The top, whose leaves are the groups' roots. Its leaves begin where the groups' sources do.
struct QuadtreeCut {
    OrthtreeSize size;
    std::vector<std::uint32_t> nodes; ///< [Orthtree<2>::words(size.n_boxes)]
    std::vector<CutGroup> groups;     ///< groups in the order of the curve, as the top's leaves
};

/// The rule by which a box is cut.
struct CutRule {
    /// Groups: a box with more than twice such a share of all points is cut.
    std::size_t wanted = 1;
    std::size_t most = 1;        ///< most groups that there may be
    std::uint32_t leaf_size = 1; ///< most points of a leaf: only boxes with more are cut
    /// Shares of the points that GPUs get: a box across a border of shares is cut.
    std::size_t shares = 1;
    int deepest = cell_level<2>; ///< deepest level of a group's root
};

/// Cuts the largest boxes first, at most down to the cells.
/// \param cells number of points before each cell and in all, for each set; empty for a set that
/// does not exist
[[nodiscard]] QuadtreeCut
cut_quadtree(const std::span<const std::uint32_t> (&cells)[2], const CutRule& rule);

} // namespace starfmm
