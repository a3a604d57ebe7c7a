// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/points.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using starfmm::check_finite;
using starfmm::check_points;
using starfmm::InputError;
using starfmm::max_magnitude;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Strengths;

TEST_CASE("points: sizes are those of the first array") {
    CHECK(Points<2>{{{{1, 2, 3}, {4, 5, 6}}}}.size() == 3);
    CHECK(Points<3>{}.size() == 0);
    CHECK(Strengths{{1, 2}, {}}.size() == 2);
    CHECK_FALSE(Strengths{{1, 2}, {}}.is_complex());
    CHECK(Strengths{{1, 2}, {3, 4}}.is_complex());
    CHECK(Potentials{{1}, {}}.size() == 1);
}

TEST_CASE("points: values that are not finite or too large are named") {
    using Values = std::vector<double>;
    CHECK_NOTHROW(check_finite({}, "x", 1));
    CHECK_NOTHROW(check_finite(Values{-1e150, 0, 1e150}, "x", 1e150));
    CHECK_THROWS_WITH_AS(
        check_finite(Values{0, NAN, NAN}, "strengths", 1e150),
        "strengths[1] = nan: must be finite and at most 1e+150 in magnitude",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        check_finite(Values{0, 1, -INFINITY}, "x", 1e150),
        "x[2] = -inf: must be finite and at most 1e+150 in magnitude",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        check_finite(Values{2e17}, "x", max_magnitude(true)),
        "x[0] = 2e+17: must be finite and at most 1e+17 in magnitude",
        InputError
    );
}

TEST_CASE("points: coordinates are named, their arrays of one length") {
    CHECK_NOTHROW(check_points<2>({{{{1, 2}, {3, 4}}}}, "sources", 10));
    CHECK_THROWS_WITH_AS(
        check_points<2>({{{{1, 2}, {3, INFINITY}}}}, "sources", 10),
        "sources.y[1] = inf: must be finite and at most 10 in magnitude",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        check_points<3>({{{{1, 2}, {3, 4}, {5}}}}, "targets", 10),
        "targets.z has 1 values, targets.x has 2: must be equal",
        InputError
    );
}

TEST_CASE("points: squares of distances between points in range are finite") {
    const double wide = 2 * max_magnitude(false);
    CHECK(std::isfinite(2 * wide * wide));
    const auto narrow = static_cast<float>(2 * max_magnitude(true));
    CHECK(std::isfinite(2 * narrow * narrow));
}
