// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/value_range.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using starfmm::are_in;
using starfmm::copy_if_finite;
using starfmm::InputError;
using starfmm::ValueRange;

namespace {

constexpr ValueRange range{1e-3, 1e3};
constexpr double subnormal = std::numeric_limits<double>::denorm_min();

using Values = std::vector<double>;

} // namespace

TEST_CASE("value_range: zero and both ends are in the range, whatever the sign") {
    CHECK(are_in(range, {}, "x"));
    CHECK(are_in(range, Values{0, -0.0, 1e-3, -1e-3, 1e3, -1e3, 1}, "x"));
    CHECK(!are_in(range, Values{1, 1.001e3}, "x"));
    CHECK(!are_in(range, Values{-0.999e-3, 1}, "x"));
    CHECK(!are_in(range, Values{subnormal}, "x"));
}

TEST_CASE("value_range: one value of many is found, and all are copied") {
    std::vector<double> values(300'001, 1.0); // several blocks, and several threads
    std::vector<double> copy(values.size());
    CHECK(copy_if_finite(range, values, "x", copy.data()));
    CHECK(copy == values);
    for (const std::size_t i : {std::size_t(0), std::size_t(170'000), values.size() - 1}) {
        values[i] = 1e4;
        CHECK(!are_in(range, values, "x"));
        CHECK(!copy_if_finite(range, values, "x", copy.data()));
        CHECK(copy == values);
        values[i] = 1;
    }
}

TEST_CASE("value_range: values that are not finite are named") {
    const std::vector<double> bad{1, 1e300, NAN, INFINITY};
    double copy[4];
    CHECK_THROWS_WITH_AS((void)are_in(range, bad, "q"), "q[2] = nan: must be finite", InputError);
    CHECK_THROWS_WITH_AS(
        (void)copy_if_finite(range, bad, "q", copy), "q[2] = nan: must be finite", InputError
    );
    CHECK_THROWS_WITH_AS(
        (void)are_in(range, Values{0, -INFINITY}, "y"), "y[1] = -inf: must be finite", InputError
    );
}

TEST_CASE("value_range: largest magnitude, and scaling by powers of two") {
    CHECK(starfmm::largest_magnitude({}) == 0);
    CHECK(starfmm::largest_magnitude(Values{1, -3, 2}) == 3);
    std::vector<double> many(200'000, 1); // by several threads
    many[150'001] = -7;
    CHECK(starfmm::largest_magnitude(many) == 7);
    CHECK(starfmm::scaled(Values{1.5, -2, 0}, 3) == std::vector<double>{12, -16, 0});
    CHECK(starfmm::scaled(Values{subnormal}, 1074 + 900) == std::vector<double>{0x1p900});
}
