// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/tree/cells.hpp"
#include "schedulers/graphs/topology/quadtree_cut.hpp"
#include "tests/support/shapes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>

using starfmm::BoxRange;
using starfmm::CutGroup;
using starfmm::CutRule;
using starfmm::Orthtree;
using starfmm::QuadtreeCut;

namespace {

using CellBegins = std::vector<std::uint32_t>;

/// Counts the points before each cell of the unit square.
CellBegins cells_of(const starfmm::Points<2>& points) {
    const starfmm::Domain<2> domain{{}, 1};
    CellBegins begin(starfmm::n_cells<2> + 1, 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::array<double, 2> place{};
        for (int d = 0; d < 2; ++d) {
            place[d] = points.x[d][i];
        }
        const auto code = starfmm::deep_code_of<2>(domain, place);
        ++begin[starfmm::CellsTask<2>::cell_of(code) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    return begin;
}

/// Checks that groups hold all points, along the curve, as the top's leaves.
void check_groups(const QuadtreeCut& cut, const Orthtree<2>& top, const CellBegins (&cells)[2]) {
    std::size_t n[2] = {0, 0};
    std::size_t next_cell = 0;
    std::uint32_t last_part = 0;
    REQUIRE(cut.groups.size() == top.leaves());
    for (std::size_t g = 0; g < cut.groups.size(); ++g) {
        const CutGroup& group = cut.groups[g];
        CHECK(group.top_box == top.leaf_box(g));
        CHECK(group.top_box >= top.offset(group.level));
        CHECK(group.top_box < top.offset(group.level + 1));
        CHECK(group.n[0] + group.n[1] > 0);
        const int shift = 2 * (starfmm::cell_level<2> - group.level);
        const std::size_t first_cell = group.place << shift;
        CHECK(first_cell >= next_cell);
        next_cell = (group.place + 1) << shift;
        CHECK(group.part.index >= last_part);
        CHECK(group.part.index < group.part.n);
        last_part = group.part.index;
        for (std::size_t set = 0; set < 2; ++set) {
            n[set] += group.n[set];
        }
    }
    for (std::size_t set = 0; set < 2; ++set) {
        CHECK(n[set] == (cells[set].empty() ? 0 : cells[set].back()));
    }
}

void check_families(const Orthtree<2>& top) {
    CHECK(top.parent(0) == 0);
    CHECK(top.offset(top.last_level() + 1) == top.total_boxes());
    std::size_t next = 1;
    std::size_t leaves = 0;
    for (std::size_t box = 0; box < top.total_boxes(); ++box) {
        const BoxRange children = top.children(box);
        CHECK(children.begin == next);
        for (std::size_t child = children.begin; child < children.end; ++child) {
            CHECK(top.parent(child) == box);
        }
        next = children.end;
        leaves += children.begin == children.end ? 1 : 0;
    }
    CHECK(next == top.total_boxes());
    CHECK(leaves == top.leaves());
}

void check_cut(const CellBegins (&cells)[2], const CutRule& rule) {
    QuadtreeCut cut = starfmm::cut_quadtree({cells[0], cells[1]}, rule);
    const auto top = Orthtree<2>::of(cut.nodes.data(), cut.size.n_boxes);
    check_groups(cut, top, cells);
    check_families(top);
    CHECK(cut.groups.size() <= rule.most);
    const std::size_t all = cells[0].back() + (cells[1].empty() ? 0 : cells[1].back());
    for (const CutGroup& group : cut.groups) {
        const bool is_small = rule.wanted * (group.n[0] + group.n[1]) <= 2 * all ||
                              std::max(group.n[0], group.n[1]) <= rule.leaf_size;
        const bool is_last = group.level == starfmm::cell_level<2> ||
                             cut.groups.size() + starfmm::n_children<2> - 1 > rule.most;
        CHECK((is_small || is_last));
    }
}

} // namespace

TEST_CASE("quadtree_cut: groups hold all points in order, none too many") {
    for (const std::string& shape : shape_names) {
        for (const std::size_t n : {1, 50, 3000}) {
            for (const std::size_t wanted : {1, 4, 16, 64}) {
                CAPTURE(shape);
                CAPTURE(n);
                CAPTURE(wanted);
                const CellBegins sources = cells_of(make_shape<2>(shape, n, 1));
                const CellBegins targets = cells_of(make_shape<2>("uniform", 700, 2));
                check_cut({sources, {}}, {wanted, 64, 10});
                check_cut({sources, targets}, {wanted, 64, 10});
                check_cut({sources, {}}, {wanted, 9, 1});
            }
        }
    }
}

TEST_CASE("quadtree_cut: no group's root lies below the deepest level") {
    const CellBegins dense = cells_of(make_shape<2>("normal", 3000, 1));
    for (const int deepest : {0, 1, 2}) {
        const QuadtreeCut cut = starfmm::cut_quadtree({dense, {}}, {64, 64, 1, 1, deepest});
        for (const CutGroup& group : cut.groups) {
            CHECK(group.level <= deepest);
        }
        CHECK(cut.groups.size() <= std::size_t(1) << (2 * deepest));
    }
}

TEST_CASE("quadtree_cut: uniform points have groups of one level") {
    const CellBegins plane = cells_of(make_shape<2>("uniform", 100'000, 1));
    for (const std::size_t wanted : {1, 4, 16, 64}) {
        CAPTURE(wanted);
        CHECK(starfmm::cut_quadtree({plane, {}}, {wanted, 64, 45}).groups.size() == wanted);
    }
}
