// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/costs/order_rule.hpp"
#include "schedulers/plan/inspection/suited_points.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>

using starfmm::Distribution;
using starfmm::KernelTraits;
using starfmm::Method;
using starfmm::OrderRule;
using starfmm::PairTerms;
using starfmm::PlanInfo;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::TreeKind;

namespace {

const KernelTraits& laplace() {
    return starfmm::kernel_set<starfmm::LaplaceGradient<double>>().traits;
}

PlanInfo octree(double theta, int order) {
    PlanInfo info;
    info.method = Method::fmm;
    info.tree = TreeKind::orthtree;
    info.theta = theta;
    info.order = order;
    info.roots = starfmm::min_roots;
    return info;
}

/// Makes the corners of the cubes of level 2, each many times.
Points<3> corners(double scale = 1) {
    Points<3> points;
    for (std::size_t i = 0; i < 2000; ++i) {
        const std::size_t layer = i / 25 % 5;
        const std::size_t row = i / 5 % 5;
        const std::size_t place = i % 5;
        points.x[0].push_back(scale * static_cast<double>(place));
        points.x[1].push_back(scale * static_cast<double>(row));
        points.x[2].push_back(scale * static_cast<double>(layer));
    }
    return points;
}

PlanInfo suited(const Points<3>& points, const PlanOptions& options, PlanInfo info) {
    starfmm::SuitedPoints(info, laplace(), options, points, points).suit(info);
    return info;
}

PlanOptions options_of(double tolerance) {
    PlanOptions options;
    options.tree = TreeKind::orthtree;
    options.tolerance = tolerance;
    return options;
}

} // namespace

TEST_CASE("suited_points: spread points keep the order of the rule") {
    const PlanOptions options = options_of(1e-6);
    const OrderRule rule(laplace());
    const int order = rule(1e-6, 0.765);
    for (const Distribution shape :
         {Distribution::uniform,
          Distribution::normal,
          Distribution::plummer,
          Distribution::circle}) {
        CAPTURE(static_cast<int>(shape));
        const auto points = starfmm::make_points<3>(shape, 20'000, 0.1, 1);
        const PlanInfo info = suited(points, options, octree(0.765, order));
        CHECK(info.order == order);
        CHECK(info.theta == 0.765);
    }
    // few points have few pairs of boxes, whose errors do not average out
    const auto few = starfmm::make_points<3>(Distribution::uniform, 500, 0.1, 1);
    CHECK(suited(few, options, octree(0.765, order)).order == rule(1e-6 / 64, 0.765));
    // with small leaves next to all terms come from expansions, those of the nearest boxes too
    PlanOptions small_leaves = options;
    small_leaves.leaf_size = 2;
    const auto many = starfmm::make_points<3>(Distribution::uniform, 20'000, 0.1, 1);
    CHECK(suited(many, small_leaves, octree(0.765, order)).order == rule(1e-6 / 16, 0.765));
}

TEST_CASE("suited_points: a theta smaller than rules are measured for takes a higher order") {
    PlanOptions options = options_of(1e-6);
    options.theta = 0.4;
    const OrderRule rule(laplace());
    const PlanInfo asked = octree(0.4, rule(1e-6, 0.4));
    const auto many = starfmm::make_points<3>(Distribution::uniform, 20'000, 0.1, 1);
    CHECK(suited(many, options, asked).order == rule(1e-6 / 16, 0.4));
    options.leaf_size = 2;
    CHECK(suited(many, options, asked).order == rule(1e-6 / 256, 0.4));
    const auto few = starfmm::make_points<3>(Distribution::uniform, 500, 0.1, 1);
    CHECK(suited(few, options, asked).order == rule(1e-6 / 1024, 0.4));
}

TEST_CASE("suited_points: some points are served by no order") {
    const auto is_served = [](const Points<3>& points, const PlanOptions& options, double theta) {
        return starfmm::SuitedPoints(octree(theta, 10), laplace(), options, points, points)
            .is_served();
    };
    const auto few = starfmm::make_points<3>(Distribution::uniform, 500, 0.1, 1);
    const auto many = starfmm::make_points<3>(Distribution::uniform, 20'000, 0.1, 1);
    CHECK(is_served(few, options_of(1e-6), 0.765));
    CHECK_FALSE(is_served(few, options_of(1e-11), 0.765));
    PlanOptions options = options_of(1e-6);
    options.theta = 0.4; // where errors of a lattice do not average out
    CHECK(is_served(many, options, 0.4));
    CHECK_FALSE(is_served(corners(), options, 0.4));
    options.order = 10;
    CHECK(is_served(corners(), options, 0.4));
}

TEST_CASE("suited_points: points on corners take more terms, whatever their unit") {
    const PlanOptions options = options_of(1e-3);
    const int order = OrderRule(laplace())(1e-3, 0.765);
    const PlanInfo unit = suited(corners(), options, octree(0.765, order));
    CHECK(unit.order > order + 5);
    CHECK(unit.theta == 0.765);
    for (const double scale : {0x1p-450, 0x1p450}) {
        CHECK(suited(corners(scale), options, octree(0.765, order)).order == unit.order);
    }
}

TEST_CASE("suited_points: pairs take all terms of spread points, not of points on corners") {
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
        CAPTURE(tolerance);
        const PlanOptions options = options_of(tolerance);
        const OrderRule of_all(laplace(), PairTerms::all);
        const OrderRule by_distance(laplace());
        PlanInfo decided = octree(0.765, of_all(tolerance, 0.765));
        decided.terms = PairTerms::all;
        const auto points = starfmm::make_points<3>(Distribution::plummer, 20'000, 0.1, 1);
        const PlanInfo spread = suited(points, options, decided);
        CHECK(spread.terms == PairTerms::all);
        CHECK(spread.order == decided.order);
        const PlanInfo cornered = suited(corners(), options, decided);
        CHECK(cornered.terms == PairTerms::by_distance);
        CHECK(cornered.order > by_distance(tolerance, cornered.theta));
    }
}

TEST_CASE("suited_points: where no order is enough theta falls, unless it was asked for") {
    PlanOptions options = options_of(1e-9);
    const PlanInfo info = suited(corners(), options, octree(0.765, 30));
    CHECK(info.theta < 0.765);
    CHECK(info.order <= laplace().largest_order);
    options.theta = 0.765;
    CHECK_THROWS_AS(suited(corners(), options, octree(0.765, 30)), starfmm::InputError);
}

TEST_CASE("suited_points: leaves alone what is asked for") {
    PlanOptions options = options_of(1e-9);
    options.order = 7;
    CHECK(suited(corners(), options, octree(0.765, 7)).order == 7);
    options.order = 0;
    PlanInfo direct = octree(0.765, 1);
    direct.method = Method::direct;
    CHECK(suited(corners(), options, direct).order == 1);
}

TEST_CASE("suited_points: coordinates that are no numbers are left to be refused later") {
    Points<3> points = corners();
    points.x[1][7] = std::numeric_limits<double>::quiet_NaN();
    points.x[2][9] = std::numeric_limits<double>::infinity();
    const PlanInfo info = suited(points, options_of(1e-3), octree(0.765, 7));
    CHECK(info.order >= 7);
}
