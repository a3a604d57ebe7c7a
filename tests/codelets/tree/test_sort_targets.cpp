// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/tree/sort_targets.hpp"
#include "tests/support/geometry_variants.hpp"
#include "tests/support/sort_run.hpp"

#include <set>

namespace {

using starfmm::plane_index;
using starfmm::SplitPlane;

/// Planes of a whole pyramid: those of the top, and of each group.
template <int D>
struct Targets {
    starfmm::TaskArgs args;
    std::vector<std::vector<SplitPlane>> planes;
    starfmm::Points<D> points;
    std::vector<double> positions;
    Words permutation;
    Words offsets;

    /// Random planes.
    Targets(int levels, int group_level, const starfmm::Points<D>& targets) : points(targets) {
        args.tree = {0, levels, 0};
        args.split_levels = group_level;
        args.n_slots = 1U << (D * group_level);
        Random random(5);
        add_planes(D * group_level, random);
        for (std::uint32_t group = 0; group < args.n_slots; ++group) {
            add_planes(D * (levels - group_level), random);
        }
    }

    void add_planes(int depth, Random& random) {
        planes.emplace_back(std::max<std::size_t>(1, plane_index(depth, 0)));
        for (SplitPlane& plane : planes.back()) {
            plane = {random(0, 1), static_cast<std::uint32_t>(random(0, D))};
        }
    }

    void sort(starfmm::BodyFunction body) {
        positions.assign(D * points.size(), -7);
        permutation.assign(points.size(), 0);
        offsets.assign(starfmm::n_boxes<D>(args.tree.last) + 1, 0);
        std::vector<std::byte> scratch(starfmm::sort_targets_scratch_bytes * points.size());
        Buffers buffers;
        buffers.add(positions).add(permutation).add(offsets).add(scratch);
        for (auto& x : points.x) {
            buffers.add(x);
        }
        for (auto& tree : planes) {
            buffers.add(tree);
        }
        buffers.call(body, args);
    }

    void sort() { sort(starfmm::geometry_set<D>().template get<starfmm::SortTargetsTask>().cpu()); }

    /// Whether target `i` is on the right side of every plane above `leaf`.
    [[nodiscard]] bool is_in(std::size_t i, std::size_t leaf) const {
        const int top = D * args.split_levels;
        const int depth = D * args.tree.last;
        bool inside = true;
        for (int level = 0; level < depth; ++level) {
            const std::size_t node = leaf >> (depth - level);
            const std::size_t group = level < top ? 0 : leaf >> (depth - top);
            const SplitPlane& plane =
                level < top
                    ? planes[0][plane_index(level, node)]
                    : planes[1 + group][plane_index(level - top, node - (group << (level - top)))];
            const bool upper = (leaf >> (depth - level - 1) & 1U) != 0;
            inside = inside && upper == (points.x[plane.direction][i] >= plane.value);
        }
        return inside;
    }

    /// Targets that are not in their leaf.
    [[nodiscard]] std::size_t n_wrong() const {
        std::size_t n = 0;
        for (std::size_t leaf = 0; leaf + 1 < offsets.size(); ++leaf) {
            for (std::size_t at = offsets[leaf]; at < offsets[leaf + 1]; ++at) {
                n += is_in(permutation.at(at), leaf) ? 0 : 1;
            }
        }
        return n;
    }
};

template <int D>
starfmm::Points<D> uniform_points(std::size_t n) {
    return point_sets<D>(n).front().points;
}

} // namespace

TEST_CASE_TEMPLATE(
    "sort_targets: each target in the leaf whose half-planes hold it", D, Plane, Space
) {
    for (const std::size_t m : {1, 2, 31, 1009}) {
        for (const auto& set : point_sets<D::value>(m)) {
            CAPTURE(set.name);
            for (const int group_level : {0, 1, 2}) {
                Targets<D::value> targets(3, group_level, set.points);
                targets.sort();
                REQUIRE(targets.offsets.front() == 0);
                REQUIRE(targets.offsets.back() == m);
                CHECK(targets.n_wrong() == 0);
            }
        }
    }
}

TEST_CASE_TEMPLATE("sort_targets: upon the sources, in the sources' leaves", D, Plane, Space) {
    constexpr int levels = 2;
    const auto points = uniform_points<D::value>(1009);
    const auto bodies = geometry_variants<D::value>().front().bodies;
    const auto sorted = Sort<Buffers, D::value>(bodies, points, levels, 0).run();
    Targets<D::value> targets(levels, 0, points);
    for (std::size_t i = 0; i < targets.planes[1].size(); ++i) {
        targets.planes[1][i] = {sorted.plane_values[i], sorted.plane_directions[i]};
    }
    targets.sort();
    for (std::size_t leaf = 0; leaf < starfmm::n_boxes<D::value>(levels); ++leaf) {
        const auto begin = starfmm::point_begin<D::value>(1009, levels, leaf);
        const auto end = starfmm::point_begin<D::value>(1009, levels, leaf + 1);
        Words sources(sorted.permutation.data() + begin, sorted.permutation.data() + end);
        std::sort(sources.begin(), sources.end()); // targets keep the user's order
        REQUIRE(targets.offsets[leaf] == begin);
        const auto* first = targets.permutation.data();
        CHECK(std::equal(sources.begin(), sources.end(), first + begin, first + end));
    }
}

TEST_CASE_TEMPLATE(
    "sort_targets: a permutation, in the user's order within a leaf", D, Plane, Space
) {
    Targets<D::value> targets(2, 1, uniform_points<D::value>(1009));
    targets.sort();
    CHECK(
        std::set<std::uint32_t>(targets.permutation.begin(), targets.permutation.end()).size() ==
        1009
    );
    CHECK(*std::max_element(targets.permutation.begin(), targets.permutation.end()) == 1008);
    for (std::size_t leaf = 0; leaf + 1 < targets.offsets.size(); ++leaf) {
        const auto* first = targets.permutation.data();
        CHECK(std::is_sorted(first + targets.offsets[leaf], first + targets.offsets[leaf + 1]));
    }
}

TEST_CASE_TEMPLATE(
    "sort_targets: positions lie group by group, all x before all y", D, Plane, Space
) {
    constexpr int d = D::value;
    for (const int group_level : {0, 1, 2}) {
        Targets<d> targets(2, group_level, uniform_points<d>(301));
        targets.sort();
        const std::size_t leaves = starfmm::n_boxes<d>(2 - group_level);
        for (std::size_t group = 0; group < starfmm::n_boxes<d>(group_level); ++group) {
            const std::size_t begin = targets.offsets[group * leaves];
            const std::size_t n = targets.offsets[(group + 1) * leaves] - begin;
            for (std::size_t i = 0; i < d * n; ++i) {
                const std::uint32_t user = targets.permutation[begin + i % n];
                CHECK(targets.positions[d * begin + i] == targets.points.x[i / n][user]);
            }
        }
    }
}

TEST_CASE("sort_targets: points on a plane belong to its upper half") {
    const std::vector<double> x(3, 0.5);
    Targets<2> targets(1, 0, {{x, x}});
    targets.planes[1] = {{0.5, 0}, {0, 0}, {0.5, 1}};
    targets.sort();
    CHECK(targets.offsets == Words{0, 0, 0, 0, 3});
}

TEST_CASE_TEMPLATE("sort_targets: instruction sets find the same order", D, Plane, Space) {
    Targets<D::value> targets(3, 1, uniform_points<D::value>(500));
    targets.sort();
    const Words expected = targets.permutation;
    for (const GeometryVariant& variant : geometry_variants<D::value>()) {
        CAPTURE(variant.name);
        targets.sort(body<starfmm::SortTargetsTask>(variant.bodies));
        CHECK(targets.permutation == expected);
    }
}
