// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels2d.hpp"
#include "core/particles/distributions.hpp"
#include "core/tree/pyramid.hpp"
#include "schedulers/plan/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>

using starfmm::Execution;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Runtime;

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
    CHECK(leaves[100].relation == starfmm::MeshLeaf::Relation::self);
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
    CHECK(n[static_cast<int>(starfmm::MeshLeaf::Relation::self)] == 1);
    CHECK(n[static_cast<int>(starfmm::MeshLeaf::Relation::near)] > 0);
    CHECK(n[static_cast<int>(starfmm::MeshLeaf::Relation::near)] < 60);
    CHECK(n[static_cast<int>(starfmm::MeshLeaf::Relation::far)] > 0);
    CHECK(n[static_cast<int>(starfmm::MeshLeaf::Relation::none)] > 0);
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
        using Relation = starfmm::MeshLeaf::Relation;
        const auto count = [&](Relation relation) {
            return std::count_if(leaves.begin(), leaves.end(), [&](const auto& leaf) {
                return leaf.relation == relation;
            });
        };
        CHECK(leaves.size() == starfmm::n_boxes<2>(plan.info().levels));
        CHECK(count(Relation::self) == 1);
        CHECK(count(Relation::near) > 0);
        CHECK(count(Relation::far) > 0);
        CHECK(count(Relation::far) <= 100); // of one level: uniform points have about 40
        CHECK(count(Relation::none) > static_cast<long>(leaves.size()) / 2);
        CHECK(leaves[100].relation == Relation::self);
        for (const auto& leaf : leaves) {
            CHECK(leaf.x_min <= leaf.x_max);
            CHECK(leaf.y_min <= leaf.y_max);
        }
    }
}
