// SPDX-License-Identifier: BSD-3-Clause
// How an octree is cut into groups: runs of cells along the curve with as many points each. Boxes
// may be shared, each group having a tree, from the common root, of its own points; but separations
// and splits count the points of all, so that groups together have the boxes and lists of one tree.
#pragma once

#include "codelets/task/codelet.hpp"
#include "core/tree/orthtree.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starfmm {

/// The points of some cells that follow each other.
struct CellRun {
    BoxRange cells{};
    std::size_t n[2] = {0, 0}; ///< [set]: sources; targets of their own
    SharedBoxes shared[2]{};   ///< [set]
    ProblemPart part;          ///< by how many points there are before its middle
};

/// Cuts where large boxes end, if that is near enough to equal shares, and not within a leaf. No
/// run is without points. O(cells).
/// \param cells of each set, points before each cell, and in all; none of a set that there is not
/// \param wanted runs; there may be fewer
[[nodiscard]] std::vector<CellRun> cut_cells(
    const std::span<const std::uint32_t> (&cells)[2], std::size_t wanted, std::uint32_t leaf_size
);

/// Part of a problem about a point of the curve.
/// \param twice the points before it; of all of them
[[nodiscard]] ProblemPart part_about(std::size_t twice, std::size_t twice_all);

} // namespace starfmm
