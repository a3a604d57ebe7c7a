// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/kernel_set.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/graphs/topology/top_connect.hpp"
#include "schedulers/graphs/topology/topology_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using Groups = std::vector<std::uint32_t>;

/// Returns the neighbours of each of 16 groups.
std::vector<Groups> neighbours(starfmm::Distribution distribution) {
    constexpr std::size_t n = 4000;
    starfmm::Runtime runtime({}, starfmm::Execution::in_order);
    auto& kernel = starfmm::kernel_set<starfmm::Harmonic<double, false>>();
    starfmm::TreeData data;
    data.options.theta = 0.5;
    data.levels = 4;
    data.group_level = 2;
    data.n_sources = n;
    data.n_targets = n;
    data.home = runtime.home();
    const auto points = starfmm::make_points<2>(distribution, n, 0.1, 1);
    data.make_groups();
    const starfmm::PointArrays users = starfmm::user_sources(runtime, points, {0, 10});
    starfmm::Topology topology(runtime, kernel.geometry, data);
    REQUIRE(topology.build(users, users));
    topology.finish_lists();
    std::vector<Groups> all;
    for (const starfmm::Group& group : data.groups) {
        all.push_back(group.neighbours);
    }
    return all;
}

} // namespace

TEST_CASE("top_connect: a group is its own first neighbour, and each other one's once") {
    for (const starfmm::Distribution distribution : starfmm::all_distributions) {
        CAPTURE(static_cast<int>(distribution));
        const std::vector<Groups> all = neighbours(distribution);
        for (std::uint32_t g = 0; g < all.size(); ++g) {
            CAPTURE(g);
            REQUIRE(!all[g].empty());
            CHECK(all[g].front() == g);
            for (const std::uint32_t other : all[g]) {
                CHECK(std::count(all[g].begin(), all[g].end(), other) == 1);
                CHECK(std::count(all[other].begin(), all[other].end(), g) == 1);
            }
        }
    }
}
