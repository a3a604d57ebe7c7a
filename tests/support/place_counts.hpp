// SPDX-License-Identifier: BSD-3-Clause
// Numbers of points, from which runs of cells are cut, are counted here one by one.
#pragma once

#include "schedulers/graphs/topology/cell_runs.hpp"
#include "tests/support/orthtree_run.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

inline constexpr std::size_t parts_of_cell = starfmm::n_cell_parts<3>;

inline starfmm::DeepCode code_of(std::size_t place) {
    return starfmm::DeepCode(place) << starfmm::bits_below<3>(starfmm::cell_part_level<3>);
}

/// Codes of the first place of a run, and of the first place behind it.
inline std::array<starfmm::DeepCode, 2> codes_of(const starfmm::CellRun& run) {
    return {code_of(run.places.begin), code_of(run.places.end)};
}

/// Counts of both sets of an octree, and of the parts of overfull cells.
class PlaceCounts {
public:
    template <class Run>
    PlaceCounts(const Run& run, std::size_t wanted, bool has_parts) {
        for (int set = 0; set < run.n_sets; ++set) {
            for (std::size_t cell = 0; cell <= starfmm::n_cells<3>; ++cell) {
                of[set].cells.push_back(before(run.points[set], cell * parts_of_cell));
            }
        }
        const std::vector<std::size_t> crowded = starfmm::crowded_cells(of, wanted);
        for (int set = 0; set < run.n_sets && has_parts; ++set) {
            Words in_parts;
            for (const std::size_t cell : crowded) {
                for (std::size_t part = 0; part < parts_of_cell; ++part) {
                    const std::size_t place = cell * parts_of_cell + part;
                    in_parts.push_back(
                        before(run.points[set], place + 1) - before(run.points[set], place)
                    );
                }
            }
            of[set].add_parts(crowded, in_parts);
        }
    }

    starfmm::CellCounts of[2];

private:
    static std::uint32_t before(const TreePoints& points, std::size_t place) {
        const auto first = std::ranges::lower_bound(points.codes, code_of(place));
        return static_cast<std::uint32_t>(first - points.codes.begin());
    }
};
