// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/sort_run.hpp"
#include "tests/support/targets_run.hpp"

#include <set>

namespace {

template <int D>
using HostTargets = Targets<Buffers, D>;

template <int D>
void sort_on_cpu(HostTargets<D>& targets) {
    targets.sort(starfmm::geometry_set<D>().template get<starfmm::SortTargetsTask>().cpu());
}

} // namespace

TEST_CASE_TEMPLATE(
    "sort_targets: each target in the leaf whose half-planes hold it", D, Plane, Space
) {
    for (const std::size_t m : {1, 2, 31, 1009}) {
        for (const auto& set : point_sets<D::value>(m)) {
            CAPTURE(set.name);
            for (const int group_level : {0, 1, 2}) {
                HostTargets<D::value> targets(3, group_level, set.points);
                sort_on_cpu(targets);
                REQUIRE(targets.offsets.front() == 0);
                REQUIRE(targets.offsets.back() == m);
                CHECK(targets.n_wrong() == 0);
            }
        }
    }
}

TEST_CASE_TEMPLATE("sort_targets: upon the sources, in the sources' leaves", D, Plane, Space) {
    constexpr int levels = 2;
    const auto points = first_points<D::value>(1009);
    const auto bodies = geometry_variants<D::value>().front().bodies;
    const auto sorted = Sort<Buffers, D::value>(bodies, points, levels, 0).run();
    HostTargets<D::value> targets(levels, 0, points);
    for (std::size_t i = 0; i < targets.planes[1].size(); ++i) {
        targets.planes[1][i] = {sorted.plane_values[i], sorted.plane_directions[i]};
    }
    sort_on_cpu(targets);
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
    HostTargets<D::value> targets(2, 1, first_points<D::value>(1009));
    sort_on_cpu(targets);
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
        HostTargets<d> targets(2, group_level, first_points<d>(301));
        sort_on_cpu(targets);
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
    HostTargets<2> targets(1, 0, {{x, x}});
    targets.planes[1] = {{0.5, 0}, {0, 0}, {0.5, 1}};
    sort_on_cpu(targets);
    CHECK(targets.offsets == Words{0, 0, 0, 0, 3});
}

TEST_CASE_TEMPLATE("sort_targets: instruction sets find the same order", D, Plane, Space) {
    HostTargets<D::value> targets(3, 1, first_points<D::value>(500));
    sort_on_cpu(targets);
    const Words expected = targets.permutation;
    for (const GeometryVariant& variant : geometry_variants<D::value>()) {
        CAPTURE(variant.name);
        targets.sort(body<starfmm::SortTargetsTask>(variant.bodies));
        CHECK(targets.permutation == expected);
    }
}
