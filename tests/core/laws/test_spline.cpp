// SPDX-License-Identifier: BSD-3-Clause
// Tests compare the spline's pairs with its published polynomials, and with what they are
// derivatives of.
#include "core/laws/spline.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

using starfmm::Attraction;
using starfmm::SplineSoftening;

namespace {

using Real = long double;

constexpr Real support = 0.7L;

template <class R>
constexpr double unit = std::numeric_limits<R>::epsilon();

/// Potential of a mass of 1 in a support of 1: W2 [S05 Eq 71].
Real published_potential(Real u) {
    if (u < 0.5L) {
        return 16 * u * u / 3 - 48 * std::pow(u, 4.0L) / 5 + 32 * std::pow(u, 5.0L) / 5 - 14.0L / 5;
    }
    if (u < 1) {
        return 1 / (15 * u) + 32 * u * u / 3 - 16 * std::pow(u, 3.0L) + 48 * std::pow(u, 4.0L) / 5 -
               32 * std::pow(u, 5.0L) / 15 - 16.0L / 5;
    }
    return -1 / u;
}

/// Density of the same mass [S05 Eq 4].
Real published_density(Real u) {
    const Real scale = 8 / std::acos(-1.0L);
    if (u < 0.5L) {
        return scale * (1 - 6 * u * u + 6 * u * u * u);
    }
    return u < 1 ? scale * 2 * (1 - u) * (1 - u) * (1 - u) : 0;
}

/// Attraction by a mass of 1 at the distance r.
template <class R>
Attraction<R> attraction(R h, R r) {
    return SplineSoftening<R>(h).attract(r * r, R(1));
}

} // namespace

TEST_CASE("spline: the potential is the published one") {
    for (int i = 0; i <= 3000; ++i) {
        CAPTURE(i);
        const Real u = static_cast<Real>(i) / 2000;
        const Real expected = -published_potential(u) / support;
        // the published terms are up to 14 times their sum
        CHECK(std::abs(attraction(support, u * support).potential - expected) <= 1e-17L);
    }
}

TEST_CASE("spline: the force is the derivative of the potential, the density that of the mass") {
    constexpr Real step = 1e-5L;
    const auto force = [](Real r) { return r * attraction(support, r).factor; };
    for (int i = 1; i < 1500; ++i) {
        CAPTURE(i);
        const Real r = static_cast<Real>(i) / 1000 * support;
        const auto slope = [&](const auto& f) { return (f(r + step) - f(r - step)) / (2 * step); };
        // step^2 / 6 times third derivatives up to 1e3 / h^4; at u = 1/2 and 1 their jumps are
        // bounded
        const auto potential = [](Real at) { return attraction(support, at).potential; };
        CHECK(std::abs(slope(potential) + force(r)) <= 1e-6L);
        const auto mass = [&](Real at) { return at * at * force(at); };
        const Real shell = 4 * std::acos(-1.0L) * r * r / std::pow(support, 3.0L);
        CHECK(std::abs(slope(mass) - shell * published_density(r / support)) <= 1e-6L);
    }
}

TEST_CASE("spline: potential and force go on where one polynomial follows another") {
    constexpr Real apart = 1e-15L;
    for (const Real u : {0.5L, 1.0L}) {
        const auto before = attraction(support, (u - apart) * support);
        const auto after = attraction(support, (u + apart) * support);
        // slopes are at most 3 / h^2 and 20 / h^4
        CHECK(std::abs(before.potential - after.potential) <= 20 * apart);
        CHECK(std::abs(before.factor - after.factor) <= 200 * apart);
    }
}

TEST_CASE_TEMPLATE("spline: from the support on the bits are those of points", R, float, double) {
    const R h(0.7);
    for (int i = 0; i < 1000; ++i) {
        CAPTURE(i);
        const R r = h * (1 + 4 * unit<R>)*std::pow(R(1.01), static_cast<R>(i));
        const auto found = attraction(h, r);
        const auto newtons = attraction(R(0), r);
        CHECK(found.potential == newtons.potential);
        CHECK(found.factor == newtons.factor);
        CHECK(newtons.potential == doctest::Approx(1 / r).epsilon(4 * unit<R>));
        CHECK(newtons.factor == doctest::Approx(1 / (r * r * r)).epsilon(8 * unit<R>));
    }
}

TEST_CASE_TEMPLATE("spline: a few roundings at any distance", R, float, double) {
    const R h(0.7);
    for (int i = 1; i < 2000; ++i) {
        CAPTURE(i);
        const R r = h * static_cast<R>(i) / 1000;
        const auto found = attraction(h, r);
        const auto exact = attraction<Real>(h, r);
        // u is wrong by two roundings, which the force has 3 times and its slope 7 times; its terms
        // are at most 4 times their sum
        CHECK(std::abs(found.potential - exact.potential) <= 16 * unit<R> * exact.potential);
        CHECK(std::abs(found.factor - exact.factor) <= 32 * unit<R> * exact.factor);
    }
}

TEST_CASE_TEMPLATE(
    "spline: the depth is Plummer's, and points attract nothing at 0", R, float, double
) {
    const R epsilon(0.1);
    const SplineSoftening<R> spline(static_cast<R>(starfmm::spline_radius) * epsilon);
    const auto here = spline.attract(R(0), R(3));
    CHECK(here.potential == doctest::Approx(3 / epsilon).epsilon(8 * unit<R>));
    CHECK(
        here.factor == doctest::Approx(32 / std::pow(spline.support(), R(3))).epsilon(16 * unit<R>)
    );
    const auto point = SplineSoftening<R>(0).attract(R(0), R(3));
    CHECK(point.potential == 0);
    CHECK(point.factor == 0);
}
