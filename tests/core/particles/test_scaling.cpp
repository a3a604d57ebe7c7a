// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/distributions.hpp"
#include "core/particles/scaling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using starfmm::AnyPoints;
using starfmm::InputError;
using starfmm::Points;
using starfmm::PointsRef;
using starfmm::Potentials;
using starfmm::ScaledKernel;
using starfmm::Scaling;
using starfmm::ScalingLaw;

namespace {

const ScaledKernel kernels[]{
    {"harmonic", false, ScalingLaw::homogeneous(-1)},
    {"harmonic", true, ScalingLaw::homogeneous(-1)},
    {"log", false, ScalingLaw::logarithmic()},
    {"log", true, ScalingLaw::logarithmic()},
    {"laplace_gradient", false, ScalingLaw::homogeneous(-1), true},
    {"laplace_gradient", true, ScalingLaw::homogeneous(-1), true}};
const ScaledKernel foreign{"mine", true, {}};

Points<2> uniform(double scale) {
    auto points = starfmm::make_points<2>(starfmm::Distribution::uniform, 200, 0.1, 1);
    for (auto& x : points.x) {
        x = starfmm::scaled(x, std::ilogb(scale));
    }
    return points;
}

double largest(const starfmm::PointsRef& points) {
    double largest = 0;
    for (const auto& x : points.x) {
        largest = std::max(largest, starfmm::largest_magnitude(x));
    }
    return largest;
}

std::string refusal(const ScaledKernel& kernel, const Points<2>& points) {
    try {
        const Scaling scaling(kernel, points, points);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("scaling: points of any extent are brought into the range of the arithmetic") {
    for (const ScaledKernel& kernel : kernels) {
        for (const double scale : {1e-300, 1e-170, 1e-60, 1e60, 1e170, 1e300}) {
            const auto points = uniform(scale);
            const Scaling scaling(kernel, points, points);
            const auto own = scaling.scaled(points);
            const auto range = starfmm::coordinate_range(kernel);
            CAPTURE(kernel.name);
            CAPTURE(scale);
            if (kernel.is_single || scale < 1e-100 || scale > 1e100) {
                CHECK(!scaling.is_users());
            }
            CHECK(largest(own) <= range.highest);
            CHECK(largest(own) >= 0.25);
            for (std::size_t i = 0; i < points.size(); ++i) {
                CHECK(scaling.to_users(own.x[0][i]) == points.x[0][i]); // exactly
            }
        }
    }
}

TEST_CASE("scaling: the user's unit stays where a tiny coordinate does no harm") {
    auto points = uniform(1);
    points.x[0][0] = 6e-17; // cos(pi / 2)
    points.x[1][7] = 1e-310;
    for (const ScaledKernel& kernel : kernels) {
        CHECK(Scaling(kernel, points, points).is_users());
    }
    CHECK(Scaling(foreign, points, points).is_users());
}

TEST_CASE("scaling: close points among distant ones") {
    auto points = uniform(1);
    points.x[0].insert(points.x[0].end(), {0, 1e-25});
    points.x[1].insert(points.x[1].end(), {0, 1e-25});
    CHECK(!Scaling(kernels[1], points, points).is_users());
    CHECK(Scaling(kernels[0], points, points).is_users()); // double precision tells them apart
    points.x[0].back() = points.x[1].back() = 1e-320;
    for (const ScaledKernel& kernel : kernels) {
        CHECK(
            refusal(kernel, points)
                .find(
                    "beyond what " + std::string(kernel.is_single ? "single" : "double") +
                    " precision can tell apart"
                ) != std::string::npos
        );
    }
}

TEST_CASE("scaling: a kernel that does not say how it scales is refused what it cannot take") {
    CHECK(refusal(foreign, uniform(1)).empty());
    for (const double scale : {1e-40, 1e40}) {
        CHECK(
            refusal(foreign, uniform(scale)).find("kernel mine does not say how it scales") !=
            std::string::npos
        );
    }
}

TEST_CASE("scaling: results come back in the user's units, exactly where they are homogeneous") {
    const auto points = uniform(1e-300);
    const Scaling scaling({"dipole", false, ScalingLaw::homogeneous(-2)}, points, points);
    const double unit = scaling.scaled(points).x[0][3] / points.x[0][3]; // a power of two
    Potentials potentials{{3 * 0x1p-900}, {-5 * 0x1p-900}};
    scaling.to_users({}, 7, potentials); // Phi = 2^-7 s^2 Phi'
    CHECK(potentials.re[0] == std::ldexp(3 * 0x1p-900 * unit, -7) * unit);
    CHECK(potentials.im[0] == std::ldexp(-5 * 0x1p-900 * unit, -7) * unit);
}

TEST_CASE("scaling: logarithms lose the unit's, for every source but those at the target") {
    const Points<2> sources{{{{1e-200, 1e-200, 2e-200, 3e-200}, {0, 0, 0, -0.0}}}};
    const Points<2> targets{{{{1e-200, 3e-200, 5e-200}, {-0.0, 0, 0}}}};
    const std::vector<double> q{1, 2, 4, 8};
    const Scaling scaling(kernels[2], sources, targets);
    const AnyPoints own = scaling.scaled(sources);
    const AnyPoints seen = scaling.scaled(targets);
    const auto sum = [&](const PointsRef& to, const PointsRef& from, std::size_t i) {
        long double value = 0;
        for (std::size_t j = 0; j < 4; ++j) {
            const long double d = std::abs(from.x[0][j] - to.x[0][i]);
            value += d > 0 ? q[j] * std::log(d) : 0;
        }
        return static_cast<double>(value);
    };
    Potentials potentials;
    for (std::size_t i = 0; i < 3; ++i) {
        potentials.re.push_back(std::ldexp(sum(seen, own, i), -3));
    }
    scaling.to_users(q, -3, potentials);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(potentials.re[i] == doctest::Approx(sum(targets, sources, i)).epsilon(1e-14));
    }
}

TEST_CASE("scaling: strengths are scaled where the largest is out of range") {
    using Values = std::vector<double>;
    for (const bool single : {false, true}) {
        CHECK(starfmm::strength_exponent({}, {}, single) == 0);
        CHECK(starfmm::strength_exponent(Values{0, 0}, {}, single) == 0);
        CHECK(starfmm::strength_exponent(Values{1e-320, -1}, {}, single) == 0);
        for (const double q : {1e-310, 1e-200, 1e150, 1e300}) {
            const int alone = starfmm::strength_exponent(Values{0, q}, Values{-q / 2}, single);
            const auto range = starfmm::strength_range(single);
            CHECK(std::ldexp(q, alone) >= range.lowest);
            CHECK(std::ldexp(q, alone) <= range.highest);
        }
    }
}

TEST_CASE("scaling: points of space, by their third coordinate as by the others") {
    auto points = starfmm::make_points<3>(starfmm::Distribution::uniform, 100, 0.1, 1);
    CHECK(Scaling(kernels[0], points, points).is_users());
    points.x[2][7] = 1e150;
    const Scaling scaling(kernels[0], points, points);
    CHECK(!scaling.is_users());
    const auto own = scaling.scaled(points);
    CHECK(own.x.size() == 3);
    CHECK(scaling.to_users(own.x[2][7]) == 1e150);
    points.x[2][8] = 1e-150; // other points share this place but for this coordinate
    points.x[0][8] = points.x[0][9] = points.x[1][8] = points.x[1][9] = points.x[2][9] = 0;
    CHECK_THROWS_AS(Scaling(kernels[0], points, points), InputError);
}

TEST_CASE("scaling: softened pairs may be as close as points are") {
    ScaledKernel kernel{"gravity", true, ScalingLaw::homogeneous(-1), true, 1e-3};
    const starfmm::Points<3> close{{{{0.5, 0.5, 1e-300}, {0.5, 0.5, 0}, {0.25, 0.25 + 1e-16, 1}}}};
    CHECK(Scaling(kernel, close, close).is_users());
    CHECK(starfmm::coordinate_range(kernel).lowest == 0);
    kernel.epsilon = 0x1p-39; // pairs in single precision do not see it
    CHECK(starfmm::coordinate_range(kernel).lowest > 0);
    const starfmm::Points<3> closer{{{{0, 1e-20}, {0, 0}, {0, 0}}}};
    CHECK(!Scaling(kernel, closer, closer).is_users());
}

TEST_CASE("scaling: a body far away does no harm to others in single precision") {
    starfmm::Points<3> points =
        starfmm::make_points<3>(starfmm::Distribution::uniform, 100, 0.1, 1);
    points.x[0][7] = 1e16;
    ScaledKernel kernel{"gravity", true, ScalingLaw::homogeneous(-1), true, 0};
    CHECK_FALSE(Scaling(kernel, points, points).is_users());
    kernel.epsilon = 1e-3;
    CHECK_NOTHROW(Scaling(kernel, points, points));
    kernel.epsilon = 1e-9; // would vanish
    CHECK_THROWS_WITH_AS(
        Scaling(kernel, points, points),
        "coordinates up to 1e+16 in magnitude, with epsilon = 1e-09, below 1/2.95148e+20 of that: "
        "beyond what single precision can tell apart; use double precision, or leave out the "
        "points that are so far away",
        InputError
    );
    kernel.epsilon = 0;
    points.x[0][7] = 1e40;
    CHECK_THROWS_AS(Scaling(kernel, points, points), starfmm::UnresolvedPoints);
}
