// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/tree/sort_targets.hpp"
#include "tests/support/geometry_variants.hpp"

#include <set>

namespace {

using starfmm::plane_index;
using starfmm::SplitPlane;

/// Planes of a whole pyramid: those of the top, and of each group.
struct Targets {
    starfmm::TaskArgs args;
    std::vector<std::vector<SplitPlane>> planes;
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> positions;
    Words permutation;
    Words offsets;

    Targets(int levels, int group_level, Shape shape, std::size_t m) {
        args.tree = {0, levels, 0};
        args.split_levels = group_level;
        args.n_slots = 1U << (2 * group_level);
        Random random(5);
        add_planes(2 * group_level, random);
        for (std::uint32_t group = 0; group < args.n_slots; ++group) {
            add_planes(2 * (levels - group_level), random);
        }
        const auto both = positions_of(shape, m, 3);
        x.assign(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(m));
        y.assign(both.begin() + static_cast<std::ptrdiff_t>(m), both.end());
    }

    void add_planes(int depth, Random& random) {
        planes.emplace_back(std::max<std::size_t>(1, plane_index(depth, 0)));
        for (SplitPlane& plane : planes.back()) {
            plane = {random(0, 1), random(0, 1) < 0.5 ? 0U : 1U};
        }
    }

    void sort(starfmm::BodyFunction body) {
        positions.assign(2 * x.size(), -7);
        permutation.assign(x.size(), 0);
        offsets.assign(starfmm::n_boxes<2>(args.tree.last) + 1, 0);
        std::vector<std::byte> scratch(starfmm::sort_targets_scratch_bytes * x.size());
        Buffers buffers;
        buffers.add(positions).add(permutation).add(offsets).add(scratch).add(x).add(y);
        for (auto& tree : planes) {
            buffers.add(tree);
        }
        buffers.call(body, args);
    }

    /// Whether target `i` is on the right side of every plane above `leaf`.
    [[nodiscard]] bool is_in(std::size_t i, std::size_t leaf) const {
        const int top = 2 * args.split_levels;
        const int depth = 2 * args.tree.last;
        bool inside = true;
        for (int level = 0; level < depth; ++level) {
            const std::size_t node = leaf >> (depth - level);
            const std::size_t group = level < top ? 0 : leaf >> (depth - top);
            const SplitPlane& plane =
                level < top
                    ? planes[0][plane_index(level, node)]
                    : planes[1 + group][plane_index(level - top, node - (group << (level - top)))];
            const double coordinate = plane.direction == 0 ? x[i] : y[i];
            const bool upper = (leaf >> (depth - level - 1) & 1U) != 0;
            inside = inside && upper == (coordinate >= plane.value);
        }
        return inside;
    }
};

} // namespace

TEST_CASE("sort_targets: each target in the leaf whose half-planes hold it") {
    for (const Shape shape : shapes) {
        for (const std::size_t m : {1, 2, 31, 1009}) {
            for (const int group_level : {0, 1, 2}) {
                Targets targets(3, group_level, shape, m);
                targets.sort(starfmm::geometry_set().get<starfmm::SortTargetsTask>().cpu());
                REQUIRE(targets.offsets.front() == 0);
                REQUIRE(targets.offsets.back() == m);
                for (std::size_t leaf = 0; leaf < 64; ++leaf) {
                    for (std::size_t at = targets.offsets[leaf]; at < targets.offsets[leaf + 1];
                         ++at) {
                        CHECK(targets.is_in(targets.permutation.at(at), leaf));
                    }
                }
            }
        }
    }
}

TEST_CASE("sort_targets: a permutation, in the user's order within a leaf") {
    Targets targets(2, 1, Shape::uniform, 1009);
    targets.sort(starfmm::geometry_set().get<starfmm::SortTargetsTask>().cpu());
    CHECK(
        std::set<std::uint32_t>(targets.permutation.begin(), targets.permutation.end()).size() ==
        1009
    );
    CHECK(*std::max_element(targets.permutation.begin(), targets.permutation.end()) == 1008);
    for (std::size_t leaf = 0; leaf < 16; ++leaf) {
        const auto* first = targets.permutation.data();
        CHECK(std::is_sorted(first + targets.offsets[leaf], first + targets.offsets[leaf + 1]));
    }
}

TEST_CASE("sort_targets: positions lie group by group, all x before all y") {
    for (const int group_level : {0, 1, 2}) {
        Targets targets(2, group_level, Shape::uniform, 301);
        targets.sort(starfmm::geometry_set().get<starfmm::SortTargetsTask>().cpu());
        const std::size_t leaves = std::size_t(16) >> (2 * group_level);
        for (std::size_t group = 0; group < 16 / leaves; ++group) {
            const std::size_t begin = targets.offsets[group * leaves];
            const std::size_t n = targets.offsets[(group + 1) * leaves] - begin;
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t user = targets.permutation[begin + i];
                CHECK(targets.positions[2 * begin + i] == targets.x[user]);
                CHECK(targets.positions[2 * begin + n + i] == targets.y[user]);
            }
        }
    }
}

TEST_CASE("sort_targets: points on a plane belong to its upper half") {
    Targets targets(1, 0, Shape::coincident, 3);
    targets.planes[1] = {{0.5, 0}, {0, 0}, {0.5, 1}};
    targets.sort(starfmm::geometry_set().get<starfmm::SortTargetsTask>().cpu());
    CHECK(targets.offsets == Words{0, 0, 0, 0, 3});
}

TEST_CASE("sort_targets: instruction sets find the same order") {
    Targets targets(3, 1, Shape::clustered, 500);
    targets.sort(starfmm::geometry_set().get<starfmm::SortTargetsTask>().cpu());
    const Words expected = targets.permutation;
    for (const GeometryVariant& variant : geometry_variants()) {
        CAPTURE(variant.name);
        targets.sort(body<starfmm::SortTargetsTask>(variant.bodies));
        CHECK(targets.permutation == expected);
    }
}
