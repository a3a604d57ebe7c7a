// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/distributions.hpp"
#include "core/particles/resolution.hpp"

#include <doctest/doctest.h>

#include <array>
#include <initializer_list>
#include <span>
#include <utility>

using starfmm::Points;

namespace {

constexpr double shortest = 0x1p-63;

bool resolved(const Points<2>& points, int exponent = 0) {
    const std::array<starfmm::PointsRef, 1> sets{points};
    return starfmm::are_resolved(sets, exponent, shortest);
}

/// Makes two points, and others around them.
Points<2> pair(double x, double y, double dx, double dy) {
    Points<2> points = starfmm::make_points<2>(starfmm::Distribution::uniform, 1000, 0.1, 1);
    for (const auto& [px, py] : {std::pair{x, y}, std::pair{x + dx, y + dy}}) {
        points.x[0].push_back(px);
        points.x[1].push_back(py);
    }
    return points;
}

} // namespace

TEST_CASE("resolution: points at one place need not be told apart") {
    CHECK(resolved(pair(0, 0, 0, 0)));
    CHECK(resolved(pair(1e-30, 0.5, 0, 0)));
    CHECK(resolved({{{{0.0, -0.0}, {-0.0, 0.0}}}}));
}

TEST_CASE("resolution: points closer than the shortest distance are found") {
    const double less = 0.75 * shortest;
    const double places[]{0, shortest, 0x1p-40, -0x1p-30};
    for (const double x : places) {
        for (const double sign : {-1.0, 1.0}) {
            CHECK(!resolved(pair(x, 0.5, sign * less, 0)));
            CHECK(!resolved(pair(-0.25, x, 0, sign * less)));
            CHECK(!resolved(pair(x, x, sign * less, less)));
            CHECK(resolved(pair(x, 0.5, sign * shortest, 0)));
            CHECK(resolved(pair(x, x, sign * shortest, less)));
            CHECK(resolved(pair(0.5, x, sign * 1e-10, less))); // apart in the other coordinate
        }
    }
}

TEST_CASE("resolution: a tiny coordinate alone is harmless") {
    const double tiny = 6.123233995736766e-17; // cos(pi / 2)
    CHECK(resolved({{{{tiny, 1, -tiny, -1}, {1, 0, -1, tiny}}}}));
    CHECK(resolved(pair(1e-300, 0.3, 0.1, 0)));
}

TEST_CASE("resolution: in another unit the same points can be told apart") {
    const auto points = pair(0, 0, 1e-25, 1e-25);
    CHECK(!resolved(points));
    CHECK(resolved(points, 60));
    CHECK(!resolved(pair(0, 0, 1e-3, 0), -60));
}

TEST_CASE("resolution: a source and a target can be too close, too") {
    const Points<2> sources{{{{0, 1}, {0, 1}}}};
    const Points<2> targets{{{{1e-30, 2}, {0, 2}}}};
    const std::array<starfmm::PointsRef, 2> sets{sources, targets};
    CHECK(!starfmm::are_resolved(sets, 0, shortest));
    CHECK(starfmm::are_resolved(std::span(sets).first(1), 0, shortest));
}

TEST_CASE("resolution: points of space are apart in any coordinate") {
    const auto resolved = [](double dx, double dy, double dz) {
        const Points<3> points{{{{0, dx}, {0, dy}, {0, dz}}}};
        const std::array<starfmm::PointsRef, 1> sets{points};
        return starfmm::are_resolved(sets, 0, shortest);
    };
    const double less = 0.75 * shortest;
    CHECK(resolved(0, 0, 0));
    for (const double sign : {-1.0, 1.0}) {
        CHECK(!resolved(0, 0, sign * less));
        CHECK(!resolved(less, less, sign * less));
        CHECK(!resolved(less, sign * less, 0));
        CHECK(resolved(less, less, sign * shortest));
        CHECK(resolved(0, 0, sign * 1e-10));
    }
}

TEST_CASE("resolution: of many points that share a coordinate the others tell") {
    // each point may be close to another, and more points share x than are compared along it
    const auto on_a_line = [](std::initializer_list<double> more) {
        Points<3> points;
        for (int k = -100; k < 100; ++k) {
            points.x[1].push_back(k * 0x1p-40);
        }
        points.x[1].insert(points.x[1].end(), more);
        points.x[0].resize(points.x[1].size(), 0.5);
        points.x[2].resize(points.x[1].size(), 0x1p-20);
        const std::array<starfmm::PointsRef, 1> sets{points};
        return starfmm::are_resolved(sets, 0, shortest);
    };
    CHECK(on_a_line({}));
    CHECK(on_a_line({0x1p-40, 0, shortest})); // two of them at places of others
    CHECK(!on_a_line({0.75 * shortest}));
    CHECK(!on_a_line({-0x1p-40 - 0.75 * shortest}));
}
