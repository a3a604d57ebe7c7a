// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/distributions.hpp"
#include "schedulers/plan/inspection/tree_choices.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using starfmm::AccelerationErrors;
using starfmm::cartesian_error;
using starfmm::Distribution;
using starfmm::GravityTreeOptions;
using starfmm::Method;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::TreeChoices;

namespace {

constexpr std::size_t n_bodies = 20'000;

Points<3> plummer(std::size_t n = n_bodies) {
    return starfmm::make_points<3>(Distribution::plummer, n, 0.1, 3);
}

Points<3> diagonal() {
    Points<3> points = starfmm::make_points<3>(Distribution::uniform, n_bodies, 0.1, 3);
    points.x[1] = points.x[0];
    points.x[2] = points.x[0];
    return points;
}

GravityTreeOptions options(double tolerance, double leaf_size = 0) {
    GravityTreeOptions asked;
    asked.plan.tolerance = tolerance;
    asked.plan.leaf_size = leaf_size;
    return asked;
}

std::vector<double> equal_masses(std::size_t n = n_bodies) {
    std::vector<double> masses(n);
    std::ranges::fill(masses, 1.0);
    return masses;
}

AccelerationErrors errors_of(const PlanOptions& plan) {
    return plan.method == Method::direct
               ? AccelerationErrors{0, 0}
               : cartesian_error(plan.order, plan.theta, plan.heavy_theta);
}

} // namespace

TEST_CASE("tree_choices: a smaller tolerance never has larger errors") {
    std::vector<double> uneven = equal_masses();
    uneven[7] = 1e9;
    for (const auto& points : {plummer(), diagonal()}) {
        for (const auto& masses : {equal_masses(), uneven}) {
            AccelerationErrors before{1, 1};
            for (int step = 0; step < 98; ++step) { // down to 1e-10
                const double tolerance = 0.3 * std::pow(0.8, step);
                CAPTURE(tolerance);
                const auto errors =
                    errors_of(TreeChoices(options(tolerance), points, masses).plan());
                CHECK(errors.median <= before.median);
                CHECK(errors.p99 <= before.p99);
                CHECK(errors.median <= tolerance);
                before = errors;
            }
            CHECK(before.median == 0); // direct
        }
    }
}

TEST_CASE("tree_choices: what errors were measured of is sure, all else is to be checked") {
    const auto usual = options(1e-3);
    CHECK(TreeChoices(usual, plummer(), equal_masses()).is_sure());
    CHECK(TreeChoices(options(1e-3, 16), plummer(), equal_masses()).is_sure());
    CHECK_FALSE(TreeChoices(options(1e-3, 1), plummer(), equal_masses()).is_sure());
    CHECK_FALSE(TreeChoices(usual, diagonal(), equal_masses()).is_sure());
    CHECK_FALSE(TreeChoices(usual, plummer(5000), equal_masses(5000)).is_sure());
    CHECK(errors_of(TreeChoices(options(0.3), plummer(), equal_masses()).plan()).median <= 0.1);
    std::vector<double> uneven = equal_masses();
    uneven[7] = 1e9;
    TreeChoices of_one(usual, plummer(), uneven);
    CHECK_FALSE(of_one.is_sure());
    CHECK(of_one.plan().heavy_theta == 0); // of shares of the bodies
    CHECK(of_one.own_error() == doctest::Approx(1e-3));
    of_one.next();
    CHECK(of_one.own_error() < 1e-3);
    CHECK(TreeChoices(usual, plummer(), equal_masses()).own_error() == 0);
    auto own = usual;
    own.own_error = 1e-5;
    CHECK(TreeChoices(own, plummer(), equal_masses()).own_error() == 1e-5);
    CHECK(TreeChoices(own, plummer(), uneven).own_error() == 1e-5);
    auto wide = usual;
    wide.plan.theta = 0.9;
    CHECK_FALSE(TreeChoices(wide, plummer(), equal_masses()).is_sure());
    auto own_order = options(1e-3, 1);
    own_order.plan.order = 2;
    CHECK(TreeChoices(own_order, diagonal(), uneven).is_sure()); // nothing was left open
}

TEST_CASE("tree_choices: sums at targets are to be checked, and few of them are direct") {
    const auto usual = options(1e-3);
    const TreeChoices many(usual, plummer(), plummer(5000));
    CHECK_FALSE(many.is_sure());
    CHECK(many.own_error() == 0);
    CHECK(many.plan().heavy_theta == 0);
    CHECK(errors_of(many.plan()).median <= 1e-3);
    CHECK(
        TreeChoices(usual, plummer(), plummer(512)).why_direct() ==
        "512 targets are too few for a tree"
    );
    CHECK(TreeChoices(usual, plummer(1), plummer()).why_direct() == "1 body is too few for a tree");
    auto own_order = usual;
    own_order.plan.order = 2;
    const TreeChoices settled(own_order, plummer(), plummer(5));
    CHECK(settled.is_sure());
    CHECK(settled.plan().order == 2);
}

TEST_CASE("tree_choices: choices end with direct sums, and say why") {
    const TreeChoices few(options(1e-3), plummer(512), equal_masses(512));
    CHECK(few.plan().method == Method::direct);
    CHECK(few.is_sure());
    CHECK(few.why_direct() == "512 bodies are too few for a tree");
    CHECK(
        TreeChoices(options(1e-3), plummer(1), equal_masses(1)).why_direct() ==
        "1 body is too few for a tree"
    );
    CHECK(TreeChoices(options(1e-3), plummer(513), equal_masses(513)).why_direct().empty());
    auto wide = options(1e-6);
    wide.plan.theta = 0.7;
    CHECK(
        TreeChoices(wide, plummer(), equal_masses()).why_direct() ==
        "no tree has errors of 1e-06 and, of 99 of 100 bodies, 1, not by order 8 and theta 0.7"
    );
    TreeChoices next(options(1e-3, 1), plummer(), equal_masses());
    double before = 1;
    while (!next.is_sure()) {
        const double median = errors_of(next.plan()).median;
        CHECK(median < before);
        before = median;
        next.next();
    }
    CHECK(before < 1e-8);
    CHECK(next.plan().method == Method::direct);
}
