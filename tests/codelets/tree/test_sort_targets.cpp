// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/sort_run.hpp"
#include "tests/support/targets_run.hpp"

#include <set>

namespace {

using HostTargets = Targets<Buffers>;

void sort_on_cpu(HostTargets& targets) {
    targets.sort(starfmm::geometry_set().get<starfmm::SortTargetsTask>().cpu());
}

} // namespace

TEST_CASE("sort_targets: each target in the leaf whose half-planes hold it") {
    for (const std::size_t m : {1, 2, 31, 1009}) {
        for (const auto& set : point_sets(m)) {
            CAPTURE(set.name);
            for (const int group_level : {0, 1, 2}) {
                HostTargets targets(3, group_level, set.points);
                sort_on_cpu(targets);
                REQUIRE(targets.offsets.front() == 0);
                REQUIRE(targets.offsets.back() == m);
                CHECK(targets.n_wrong() == 0);
            }
        }
    }
}

TEST_CASE("sort_targets: upon the sources, in the sources' leaves") {
    constexpr int levels = 2;
    const auto points = first_points(1009);
    const auto bodies = geometry_variants().front().bodies;
    const auto sorted = Sort<Buffers>(bodies, points, levels, 0).run();
    HostTargets targets(levels, 0, points);
    for (std::size_t i = 0; i < targets.planes[1].size(); ++i) {
        targets.planes[1][i] = {sorted.plane_values[i], sorted.plane_directions[i]};
    }
    sort_on_cpu(targets);
    for (std::size_t leaf = 0; leaf < starfmm::n_boxes<2>(levels); ++leaf) {
        const auto begin = starfmm::point_begin<2>(1009, levels, leaf);
        const auto end = starfmm::point_begin<2>(1009, levels, leaf + 1);
        Words sources(sorted.permutation.data() + begin, sorted.permutation.data() + end);
        std::sort(sources.begin(), sources.end()); // targets keep the user's order
        REQUIRE(targets.offsets[leaf] == begin);
        const auto* first = targets.permutation.data();
        CHECK(std::equal(sources.begin(), sources.end(), first + begin, first + end));
    }
}

TEST_CASE("sort_targets: a permutation, in the user's order within a leaf") {
    HostTargets targets(2, 1, first_points(1009));
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

TEST_CASE("sort_targets: positions lie group by group, all x before all y") {
    for (const int group_level : {0, 1, 2}) {
        HostTargets targets(2, group_level, first_points(301));
        sort_on_cpu(targets);
        const std::size_t leaves = starfmm::n_boxes<2>(2 - group_level);
        for (std::size_t group = 0; group < starfmm::n_boxes<2>(group_level); ++group) {
            const std::size_t begin = targets.offsets[group * leaves];
            const std::size_t n = targets.offsets[(group + 1) * leaves] - begin;
            for (std::size_t i = 0; i < 2 * n; ++i) {
                const std::uint32_t user = targets.permutation[begin + i % n];
                CHECK(targets.positions[2 * begin + i] == targets.points.x[i / n][user]);
            }
        }
    }
}

TEST_CASE("sort_targets: points on a plane belong to its upper half") {
    const std::vector<double> x(3, 0.5);
    HostTargets targets(1, 0, {{x, x}});
    targets.planes[1] = {{0.5, 0}, {0, 0}, {0.5, 1}};
    sort_on_cpu(targets);
    CHECK(targets.offsets == Words{0, 0, 0, 0, 3});
}

TEST_CASE("sort_targets: instruction sets find the same order") {
    HostTargets targets(3, 1, first_points(500));
    sort_on_cpu(targets);
    const Words expected = targets.permutation;
    for (const GeometryVariant& variant : geometry_variants()) {
        CAPTURE(variant.name);
        targets.sort(body<starfmm::SortTargetsTask>(variant.bodies));
        CHECK(targets.permutation == expected);
    }
}
