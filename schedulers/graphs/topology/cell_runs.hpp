// SPDX-License-Identifier: BSD-3-Clause
// How an octree is cut into groups: runs of cells along the curve, or of parts of cells, with as
// many points each. Boxes may be shared, each group having a tree, from the common root, of its own
// points; but separations and splits count the points of all, so that groups together have the
// boxes and lists of one tree.
#pragma once

#include "codelets/task/codelet.hpp"
#include "core/tree/orthtree.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace starfmm {

/// How many points of a set lie before places on the curve, which are counted in parts of cells
/// (codelets/tree/cells.hpp).
struct CellCounts {
    std::vector<std::uint32_t> cells; ///< before each cell, and in all; none: there is no such set
    std::map<std::size_t, std::vector<std::uint32_t>> parts; ///< of some cells, before each part

    /// \pre the place is the first of a cell, or in one of those with parts
    [[nodiscard]] std::size_t before(std::size_t place) const;

    /// Of some cells, ascending, how many there are in each part.
    void add_parts(const std::vector<std::size_t>& of_cells, std::span<const std::uint32_t> counts);

    /// Those of some of a set's points and of others.
    CellCounts& operator+=(const CellCounts& others);
};

/// Points between places.
struct CellRun {
    BoxRange places{};
    std::size_t n[2] = {0, 0}; ///< [set]: sources; targets of their own
    SharedBoxes shared[2]{};   ///< [set]
    ProblemPart part;          ///< by how many points there are before its middle

    /// \pre it does not end within a cell
    [[nodiscard]] BoxRange cells() const;
};

/// Cells of so many points that runs have to end within them to have equal shares. Ascending.
/// \param counts of each set
[[nodiscard]] std::vector<std::size_t>
crowded_cells(const CellCounts (&counts)[2], std::size_t wanted);

/// Cuts where large boxes end, if that is near enough to equal shares, and not within a leaf, nor
/// within a cell whose parts are not counted. No run is without points. O(cells).
/// \param counts of each set
/// \param wanted runs; there may be fewer
[[nodiscard]] std::vector<CellRun>
cut_cells(const CellCounts (&counts)[2], std::size_t wanted, std::uint32_t leaf_size);

/// Part of a problem about a point of the curve.
/// \param twice the points before it; of all of them
[[nodiscard]] ProblemPart part_about(std::size_t twice, std::size_t twice_all);

} // namespace starfmm
