// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/geometry.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using starfmm::Bounds;
using starfmm::Coupling;
using starfmm::enclosing_frame;
using starfmm::Frame;
using starfmm::leaf_coupling;
using starfmm::split_direction;

namespace {

template <class Real>
Frame<Real> disc(double x, double y, double radius) {
    return {{static_cast<Real>(x), static_cast<Real>(y)}, static_cast<Real>(radius)};
}

template <class Real>
Coupling coupling(const Frame<Real>& a, const Frame<Real>& b) {
    return starfmm::coupling(a, b, {0.5, false});
}

} // namespace

TEST_CASE_TEMPLATE("geometry: bounds hold what was added", Real, double, float) {
    auto bounds = Bounds<Real>::nothing();
    CHECK(bounds.empty());
    bounds.add(0, 3);
    bounds.add(1, -2);
    CHECK_FALSE(bounds.empty());
    bounds.add(0, -1);
    bounds.add(1, 5);
    CHECK(bounds.min[0] == -1);
    CHECK(bounds.max[0] == 3);
    CHECK(bounds.min[1] == -2);
    CHECK(bounds.max[1] == 5);
}

TEST_CASE_TEMPLATE(
    "geometry: the longer side is split, the first of equal ones", Real, double, float
) {
    CHECK(split_direction(Bounds<Real>{{0, 0}, {2, 1}}) == 0);
    CHECK(split_direction(Bounds<Real>{{0, 0}, {1, 2}}) == 1);
    CHECK(split_direction(Bounds<Real>{{0, 0}, {1, 1}}) == 0);
    CHECK(split_direction(Bounds<Real, 3>{{0, 0, 0}, {1, 2, 3}}) == 2);
    CHECK(split_direction(Bounds<Real>{{4, 4}, {4, 4}}) == 0);
}

TEST_CASE_TEMPLATE("geometry: the disc about bounds reaches their corners", Real, double, float) {
    const Frame<Real> frame = enclosing_frame(Bounds<Real>{{-1, 2}, {5, 10}});
    CHECK(frame.centre.re == 2);
    CHECK(frame.centre.im == 6);
    CHECK(frame.radius == 5); // half of 6 and 8
    CHECK(enclosing_frame(Bounds<Real>::nothing()).radius == -1);
    CHECK(enclosing_frame(Bounds<Real>{{3, 3}, {3, 3}}).radius == 0);
    const Frame<Real, 3> ball = enclosing_frame(Bounds<Real, 3>{{0, 1, 2}, {4, 5, 4}});
    CHECK(ball.centre.x == 2);
    CHECK(ball.centre.y == 3);
    CHECK(ball.centre.z == 3);
    CHECK(ball.radius == 3); // half of 4, 4 and 2
    CHECK(enclosing_frame(Bounds<Real, 3>::nothing()).radius == -1);
}

TEST_CASE_TEMPLATE("geometry: balls are separated as discs are", Real, double, float) {
    const Frame<Real, 3> large{{0, 0, 0}, 2};
    const Real theta(0.5);
    const auto coupling_of = [&](const Frame<Real, 3>& other) {
        return starfmm::coupling(large, other, {0.5, false});
    };
    CHECK(coupling_of({{1, 2, 2}, 1}) == Coupling::near);
    CHECK(coupling_of({{2, 4, 4}, 1}) == Coupling::far);
    CHECK(coupling_of({{0, 3, 4}, 1}) == Coupling::far);
    CHECK(coupling_of({{0, 3, Real(3.9)}, 1}) == Coupling::near);
    const std::uint64_t many = 1000;
    const Frame<Real, 3> small{{2, 2, 1}, Real(0.5)};
    CHECK(leaf_coupling(large, small, theta, many, many, 5) == Coupling::p2l);
    CHECK(leaf_coupling(small, large, theta, many, many, 5) == Coupling::m2p);
}

TEST_CASE_TEMPLATE("geometry: far is R + theta r <= theta d", Real, double, float) {
    // R = 2, r = 1, theta = 1/2: d >= 5
    CHECK(coupling(disc<Real>(0, 0, 2), disc<Real>(5, 0, 1)) == Coupling::far);
    CHECK(coupling(disc<Real>(5, 0, 1), disc<Real>(0, 0, 2)) == Coupling::far);
    CHECK(coupling(disc<Real>(0, 0, 2), disc<Real>(4.999, 0, 1)) == Coupling::near);
    CHECK(coupling(disc<Real>(4.999, 0, 1), disc<Real>(0, 0, 2)) == Coupling::near);
    CHECK(coupling(disc<Real>(0, 0, 2), disc<Real>(3, 4, 1)) == Coupling::far);
    CHECK(coupling(disc<Real>(0, 0, 1), disc<Real>(0, 3, 1)) == Coupling::far);
    CHECK(coupling(disc<Real>(0, 0, 1), disc<Real>(0, 2.9, 1)) == Coupling::near);
}

TEST_CASE_TEMPLATE(
    "geometry: coincident centres are near, distinct points far", Real, double, float
) {
    CHECK(coupling(disc<Real>(1, 1, 0), disc<Real>(1, 1, 0)) == Coupling::near);
    CHECK(coupling(disc<Real>(1, 1, 2), disc<Real>(1, 1, 0)) == Coupling::near);
    CHECK(coupling(disc<Real>(1, 1, 0), disc<Real>(1, 1.5, 0)) == Coupling::far);
}

TEST_CASE("geometry: cubes are far from each other if the gap is a side of the larger one") {
    const auto cube = [](double x, double y, double z, double side) {
        return starfmm::Frame<double, 3>{{x, y, z}, 0.5 * std::sqrt(3.0) * side};
    };
    const auto unit = cube(0.5, 0.5, 0.5, 1);
    const starfmm::SeparationRule separates{0.765, true};
    int n_near = 0;
    for (int i = 0; i < 7 * 7 * 7; ++i) {
        const int layer = i / 49;
        const int row = i / 7 % 7;
        const auto other = cube(i % 7 - 2.5, row - 2.5, layer - 2.5, 1);
        if (separates(unit, other) == 0) {
            ++n_near;
        }
    }
    CHECK(n_near == 27); // the box itself, and the boxes that touch it
    const auto large = cube(0, 0, 0, 2);
    CHECK(separates(large, cube(3.5, 0.5, 0.5, 1)));
    CHECK(separates(cube(3.5, 0.5, 0.5, 1), large));
    const auto beside_edge = cube(2.5, 2.5, 0.5, 1); // the same distance as the one before
    CHECK(!separates(large, beside_edge));
    CHECK(are_separated(large, beside_edge, 0.765));
    CHECK(starfmm::SeparationRule{0.765, false}(large, beside_edge));
    CHECK(!separates(unit, unit));
}

TEST_CASE("geometry: far boxes have a gap of the support") {
    const double root = std::sqrt(3.0);
    const starfmm::Frame<double, 3> unit{{0, 0, 0}, 0.5 * root};
    const auto cube = [=](double x, double y, double z) {
        return starfmm::Frame<double, 3>{{x, y, z}, 0.5 * root};
    };
    const starfmm::SeparationRule of_cubes{0.765, true, 3};
    const starfmm::SeparationRule of_balls{0.765, false, 3};
    CHECK(of_cubes(unit, cube(0, 4.001, 0)));
    CHECK(of_cubes(cube(0.9, 0.9, -4.001), unit));
    CHECK(!of_cubes(unit, cube(0, 3.999, 0)));
    CHECK(of_cubes(unit, cube(3, 3, 2.001))); // gaps of 2, 2 and 1
    CHECK(!of_cubes(unit, cube(3, 3, 1.999)));
    CHECK(of_balls(unit, cube(0, 3.001 + root, 0)));
    CHECK(!of_balls(unit, cube(0, 2.999 + root, 0)));
    CHECK(!starfmm::SeparationRule{0.765, true, 0.1}(unit, unit));
}

TEST_CASE_TEMPLATE("geometry: boxes without points meet nobody", Real, double, float) {
    CHECK(coupling(disc<Real>(0, 0, -1), disc<Real>(9, 0, 1)) == Coupling::none);
    CHECK(coupling(disc<Real>(9, 0, 1), disc<Real>(0, 0, -1)) == Coupling::none);
}

TEST_CASE_TEMPLATE("geometry: the swapped criterion r + theta R <= theta d", Real, double, float) {
    // R = 2, r = 0.5, theta = 1/2: d >= 3; by the other criterion 4.5
    const std::uint64_t many = 1000;
    const Real theta = Real(0.5);
    const auto large = disc<Real>(0, 0, 2);
    const auto small = disc<Real>(3, 0, 0.5);
    const auto close = disc<Real>(2.99, 0, 0.5);
    CHECK(coupling(large, small) == Coupling::near);
    CHECK(leaf_coupling(large, small, theta, many, many, 5) == Coupling::p2l);
    CHECK(leaf_coupling(small, large, theta, many, many, 5) == Coupling::m2p);
    CHECK(leaf_coupling(large, close, theta, many, many, 5) == Coupling::near);
    CHECK(leaf_coupling(close, large, theta, many, many, 5) == Coupling::near);
    // where there is little to replace, pairs are cheaper
    CHECK(leaf_coupling(large, small, theta, many, 1, 30) == Coupling::near);
    CHECK(leaf_coupling(small, large, theta, 1, many, 30) == Coupling::near);
}

TEST_CASE_TEMPLATE(
    "geometry: points of the larger box may not lie on the smaller one", Real, double, float
) {
    const std::uint64_t many = 1000;
    const Real tiny = std::numeric_limits<Real>::epsilon() / 8; // vanishes in r + theta R
    for (const Real theta : {Real(0.5), Real(0.3), 1 - std::numeric_limits<Real>::epsilon()}) {
        for (const Real r : {Real(0), tiny}) {
            const auto large = disc<Real>(0, 0, 2);
            const auto on_rim = disc<Real>(2, 0, r);
            const auto beyond = disc<Real>(2 + Real(0x1p-8), 0, r);
            CHECK(leaf_coupling(large, on_rim, theta, many, many, 5) == Coupling::near);
            CHECK(leaf_coupling(on_rim, large, theta, many, many, 5) == Coupling::near);
            CHECK(leaf_coupling(large, beyond, theta, many, many, 5) == Coupling::p2l);
            CHECK(leaf_coupling(beyond, large, theta, many, many, 5) == Coupling::m2p);
        }
    }
}

TEST_CASE("geometry: the smallest radius has a reciprocal, and powers of it that matter") {
    CHECK(std::isfinite(1 / starfmm::smallest_radius<double>()));
    CHECK(std::isfinite(1 / starfmm::smallest_radius<float>()));
    CHECK(std::isnormal(starfmm::smallest_radius<float>()));
}
