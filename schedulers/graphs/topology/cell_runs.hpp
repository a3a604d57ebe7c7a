// SPDX-License-Identifier: BSD-3-Clause
// An octree is cut into groups that are runs of cells along the curve, or of parts of cells, with
// equally many points each. Groups may share a box: each group has a tree of its own points from
// the common root. Separations and splits count the points of all groups, so that the groups
// together have the boxes and lists of one tree.
#pragma once

#include "codelets/task/codelet.hpp"
#include "core/tree/orthtree.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace starfmm {

/// Numbers of points of a set that lie before places on the curve, which are counted in parts of
/// cells (codelets/tree/cells.hpp).
struct CellCounts {
    /// Points before each cell, and in all; empty: there is no such set.
    std::vector<std::uint32_t> cells;
    /// Points before each part of some cells.
    std::map<std::size_t, std::vector<std::uint32_t>> parts;

    /// Number of points before a place on the curve.
    /// \pre the place is the first of a cell, or in one of those with parts
    [[nodiscard]] std::size_t before(std::size_t place) const;

    /// Adds the numbers of points in each part of some cells, which are ascending.
    void add_parts(const std::vector<std::size_t>& of_cells, std::span<const std::uint32_t> counts);

    /// Adds the counts of other points of the same set.
    CellCounts& operator+=(const CellCounts& others);
};

/// A run: all points between two places on the curve.
struct CellRun {
    BoxRange places{};
    std::size_t n[2] = {0, 0}; ///< [set]: sources; targets of their own
    SharedBoxes shared[2]{};   ///< [set]
    ProblemPart part; ///< part of the problem, by the number of points before the run's middle

    /// The cells of a run that consists of whole cells.
    /// \pre the run begins and ends between cells
    [[nodiscard]] BoxRange cells() const;
};

/// Cells with so many points that runs have to end within them to have equal shares, ascending.
/// \param counts counts of each set
[[nodiscard]] std::vector<std::size_t>
crowded_cells(const CellCounts (&counts)[2], std::size_t wanted);

/// Cuts the curve into runs. A cut lies where a large box ends, if that is near enough to equal
/// shares, and neither within a leaf nor within a cell whose parts are not counted. No run is
/// without points. O(cells).
/// \param counts counts of each set
/// \param wanted number of runs; there may be fewer
[[nodiscard]] std::vector<CellRun>
cut_cells(const CellCounts (&counts)[2], std::size_t wanted, std::uint32_t leaf_size);

/// The part of a problem about a point of the curve.
/// \param twice twice the number of points before it
/// \param twice_all twice the number of all points
[[nodiscard]] ProblemPart part_about(std::size_t twice, std::size_t twice_all);

} // namespace starfmm
