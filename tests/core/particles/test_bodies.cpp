// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/bodies.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::gravity_units;
using starfmm::GravityUnits;

namespace {

/// n bodies whose largest coordinate is z of the last.
Bodies ramp(std::size_t n) {
    Bodies bodies;
    for (std::size_t i = 0; i < n; ++i) {
        const auto value = static_cast<double>(i);
        bodies.x[0].push_back(value / 7);
        bodies.x[1].push_back(-value / 3);
        bodies.x[2].push_back(value);
        bodies.mass.push_back(1 + value);
    }
    return bodies;
}

} // namespace

TEST_CASE("bodies: units are the next powers of two, whichever value is the largest") {
    for (const std::size_t n : {2, 9, 17, 100, 100'000}) { // 100000: by several threads
        const GravityUnits units = gravity_units(ramp(n), 0);
        const auto largest = static_cast<double>(n - 1);
        CHECK(units.length >= largest);
        CHECK(units.length < 2 * largest);
        CHECK(std::log2(units.length) == std::floor(std::log2(units.length)));
        CHECK(units.mass >= largest + 1);
        CHECK(units.mass < 2 * (largest + 1));
    }
    CHECK(gravity_units(ramp(9), 0).length == 8);
    CHECK(gravity_units(ramp(9), 300).length == 512);
    CHECK(gravity_units(ramp(1), 0).length == 1); // all at the origin
}

TEST_CASE("bodies: what is not finite is found wherever it is") {
    for (const std::size_t place : {0, 7, 8, 99, 49'999}) {
        Bodies bodies = ramp(50'000);
        bodies.x[1][place] = std::numeric_limits<double>::quiet_NaN();
        const std::string message = "bodies.y[" + std::to_string(place) +
                                    "] = nan: must be finite and at most 1e+150 in magnitude";
        CHECK_THROWS_WITH_AS(
            static_cast<void>(gravity_units(bodies, 0)), message.c_str(), starfmm::InputError
        );
    }
}

TEST_CASE("bodies: sums get their factors, with and without potentials") {
    for (const bool has_potential : {true, false}) {
        Accelerations out;
        for (auto& component : out.a) {
            component.assign(3, 2);
        }
        out.potential.assign(has_potential ? 3 : 0, 10);
        starfmm::scale_sums({-1, 5}, out);
        CHECK(out.a[2] == std::vector<double>(3, 10));
        CHECK(out.potential == std::vector<double>(has_potential ? 3 : 0, -10));
    }
}

TEST_CASE("bodies: arrays of different lengths are named, before any value is read") {
    Bodies bodies = ramp(5);
    bodies.x[0][1] = std::numeric_limits<double>::infinity();
    bodies.x[2].pop_back();
    CHECK_THROWS_WITH_AS(
        static_cast<void>(gravity_units(bodies, 0)),
        "bodies.z has 4 values, bodies.mass has 5: must be equal",
        starfmm::InputError
    );
}
