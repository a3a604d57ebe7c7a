// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/cartesian_index.hpp"
#include "core/particles/distributions.hpp"
#include "core/tree/uniform_tree.hpp"
#include "schedulers/plan/inspection/suit_bodies.hpp"

#include <doctest/doctest.h>

#include <limits>

using starfmm::AccelerationErrors;
using starfmm::CartesianChoice;
using starfmm::Distribution;
using starfmm::Points;

namespace {

constexpr AccelerationErrors usual{2.6e-3, 1};
constexpr CartesianChoice rule_of_usual{0.765, 4};

/// Six sites, each many times.
Points<3> sites(double scale = 1) {
    Points<3> points;
    for (int i = 0; i < 900; ++i) {
        points.x[0].push_back(scale * (i % 3));
        points.x[1].push_back(scale * (i % 2));
        points.x[2].push_back(0);
    }
    return points;
}

CartesianChoice suited(
    const Points<3>& points,
    const AccelerationErrors& most = usual,
    const CartesianChoice& rule = rule_of_usual,
    bool may_lower_theta = true
) {
    return starfmm::suit_bodies(points, starfmm::min_roots, most, rule, may_lower_theta);
}

double left_out(const Points<3>& points, const CartesianChoice& choice, int rule) {
    return starfmm::left_out_of_bodies(points, starfmm::min_roots, choice, rule);
}

} // namespace

TEST_CASE("suit_bodies: spread bodies keep the order of the rule") {
    for (const Distribution distribution :
         {Distribution::uniform,
          Distribution::normal,
          Distribution::plummer,
          Distribution::circle,
          Distribution::lattice}) {
        for (const unsigned seed : {1, 2, 3, 4, 5}) {
            CAPTURE(seed);
            const auto points = starfmm::make_points<3>(distribution, 30'000, 0.1, seed);
            const CartesianChoice choice = suited(points);
            CHECK(choice.theta == rule_of_usual.theta);
            CHECK(choice.order == rule_of_usual.order);
        }
    }
}

TEST_CASE("suit_bodies: spread bodies leave out what the rule does") {
    const auto points = starfmm::make_points<3>(Distribution::uniform, 30'000, 0.1, 5);
    for (const int order : {1, 4, 8}) {
        CAPTURE(order);
        CHECK(left_out(points, {0.765, order}, order) == doctest::Approx(1).epsilon(0.2));
    }
    CHECK(left_out(points, {0.765, 5}, 4) < 0.7);
}

TEST_CASE("suit_bodies: bodies on corners take more terms, whatever their unit") {
    CHECK(left_out(sites(), rule_of_usual, rule_of_usual.order) > 4);
    for (const double scale : {1e-100, 1.0, 1e100}) {
        CAPTURE(scale);
        const CartesianChoice choice = suited(sites(scale));
        CHECK(choice.order > rule_of_usual.order);
        CHECK(left_out(sites(scale), choice, rule_of_usual.order) <= 2);
    }
}

TEST_CASE("suit_bodies: where no order is enough theta falls, unless it was asked for") {
    const AccelerationErrors fine{1.5e-4, 1};
    const CartesianChoice rule{0.765, starfmm::largest_cartesian_order};
    const CartesianChoice choice = suited(sites(), fine, rule);
    CHECK(choice.theta < rule.theta);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(suited(sites(), fine, rule, false)),
        "tolerance = 0.00015: with theta 0.77 no order up to 8 serves bodies that lie upon the "
        "corners "
        "of an octree's cubes: use a larger tolerance, or an order of your own",
        starfmm::InputError
    );
}

TEST_CASE("suit_bodies: bodies at one place and coordinates that are no numbers take the rule") {
    Points<3> points;
    for (auto& x : points.x) {
        x.assign(100, 3);
    }
    CHECK(suited(points).order == rule_of_usual.order);
    for (auto& x : points.x) {
        x.assign(100, std::numeric_limits<double>::quiet_NaN());
    }
    CHECK(suited(points).order == rule_of_usual.order);
}
