// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "core/tree/pyramid.hpp"
#include "schedulers/plan/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <vector>

using starfmm::Execution;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Runtime;
using Relation = starfmm::MeshLeaf::Relation;

namespace {

std::uint64_t points_within(const starfmm::Points<3>& points, const starfmm::MeshLeaf& leaf) {
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& [x, y, z] = points.x;
        const bool is_within = leaf.x_min <= x[i] && x[i] <= leaf.x_max && leaf.y_min <= y[i] &&
                               y[i] <= leaf.y_max && leaf.z_min <= z[i] && z[i] <= leaf.z_max;
        n += is_within ? 1 : 0;
    }
    return n;
}

} // namespace

TEST_CASE("mesh: a quadtree's leaves, itself once, near and far ones, all points") {
    Runtime runtime({}, Execution::in_order);
    const auto points = starfmm::make_points<2>(starfmm::Distribution::normal, 4000, 0.1, 1);
    PlanOptions options;
    options.tree = starfmm::TreeKind::orthtree;
    options.leaf_size = 10;
    options.groups = 1;
    SUBCASE("in several groups") {
        options.groups = 16;
    }
    Plan plan(runtime, starfmm::kernel_set<starfmm::Harmonic<double, false>>(), points, options);
    CHECK((plan.info().groups > 1) == (options.groups > 1));
    const auto leaves = plan.mesh(100);
    CHECK(leaves.size() == plan.info().leaves);
    CHECK(leaves[100].relation == Relation::self);
    std::size_t n_met = 0;
    int n[4] = {};
    for (const auto& leaf : leaves) {
        ++n[static_cast<int>(leaf.relation)];
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double x = points.x[0][i];
            const double y = points.x[1][i];
            const bool within =
                leaf.x_min <= x && x <= leaf.x_max && leaf.y_min <= y && y <= leaf.y_max;
            n_met += within ? 1 : 0;
        }
    }
    CHECK(n_met == points.size()); // leaves do not overlap
    CHECK(n[static_cast<int>(Relation::self)] == 1);
    CHECK(n[static_cast<int>(Relation::near)] > 0);
    CHECK(n[static_cast<int>(Relation::near)] < 60);
    CHECK(n[static_cast<int>(Relation::far)] > 0);
    CHECK(n[static_cast<int>(Relation::none)] > 0);
}

TEST_CASE("mesh: leaves in space hold all points, and meet as the work says") {
    Runtime runtime({}, Execution::in_order);
    const auto points = starfmm::make_points<3>(starfmm::Distribution::normal, 2000, 0.1, 1);
    PlanOptions options;
    options.leaf_size = 10;
    options.groups = 1;
    SUBCASE("of a pyramid") {}
    SUBCASE("of a pyramid in groups") {
        options.groups = 8;
    }
    SUBCASE("of an octree") {
        options.tree = starfmm::TreeKind::orthtree;
    }
    SUBCASE("of an octree in groups") {
        options.tree = starfmm::TreeKind::orthtree;
        options.groups = 7;
    }
    Plan plan(runtime, starfmm::kernel_set<starfmm::Laplace<double>>(), points, options);
    CHECK((plan.info().groups > 1) == (options.groups > 1));
    const auto leaves = plan.mesh(0);
    REQUIRE(leaves.size() == plan.info().leaves);
    std::vector<std::uint64_t> n_points;
    n_points.reserve(leaves.size());
    for (const auto& leaf : leaves) {
        n_points.push_back(points_within(points, leaf));
    }
    // leaves do not overlap
    CHECK(std::accumulate(n_points.begin(), n_points.end(), std::uint64_t(0)) == points.size());
    std::uint64_t n_near_pairs = 0;
    std::size_t n_far = 0;
    for (std::size_t own = 0; own < leaves.size(); ++own) {
        const auto seen = plan.mesh(own);
        CHECK(seen[own].relation == Relation::self);
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
            const bool is_near = leaf == own || seen[leaf].relation == Relation::near;
            n_near_pairs += is_near ? n_points[own] * n_points[leaf] : 0;
            n_far += seen[leaf].relation == Relation::far ? 1 : 0;
        }
    }
    CHECK(n_far > 0);
    // an octree's near leaves are also met by P2L, which no picture tells apart
    const std::uint64_t n_pairs = plan.info().work.p2p_pairs;
    const bool is_pyramid = options.tree == starfmm::TreeKind::pyramid;
    CHECK((is_pyramid ? n_near_pairs == n_pairs : n_near_pairs >= n_pairs));
    CHECK(n_near_pairs < points.size() * points.size() / 2);
}

TEST_CASE("mesh: every leaf, itself once, near and far ones") {
    Runtime runtime({}, Execution::in_order);
    const auto points = starfmm::make_points<2>(starfmm::Distribution::uniform, 4000, 0.1, 1);
    for (const int groups : {1, 4}) {
        PlanOptions options;
        options.groups = groups;
        options.leaf_size = 10;
        Plan plan(
            runtime, starfmm::kernel_set<starfmm::Harmonic<double, false>>(), points, options
        );
        const auto leaves = plan.mesh(100);
        const auto count = [&](Relation relation) {
            return std::count_if(leaves.begin(), leaves.end(), [&](const auto& leaf) {
                return leaf.relation == relation;
            });
        };
        CHECK(leaves.size() == starfmm::n_boxes<2>(plan.info().levels));
        CHECK(count(Relation::self) == 1);
        CHECK(count(Relation::near) > 0);
        CHECK(count(Relation::far) > 0);
        CHECK(count(Relation::far) <= 100); // one level's far list: uniform points have about 40
        CHECK(count(Relation::none) > static_cast<long>(leaves.size()) / 2);
        CHECK(leaves[100].relation == Relation::self);
        for (const auto& leaf : leaves) {
            CHECK(leaf.x_min <= leaf.x_max);
            CHECK(leaf.y_min <= leaf.y_max);
        }
    }
}
