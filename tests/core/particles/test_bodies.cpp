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
using starfmm::GravityPrecision;
using starfmm::GravityUnits;
using starfmm::PackedSums;

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

TEST_CASE("bodies: packed numbers are the values in their units, mixed ones to 48 bits") {
    const Bodies bodies = ramp(50'000);
    const GravityUnits units = gravity_units(bodies, 0);
    const std::size_t n = bodies.size();
    std::vector<double> doubles(4 * n);
    std::vector<float> mixed(8 * n);
    starfmm::pack_bodies(bodies, units, GravityPrecision::double_precision, doubles.data());
    starfmm::pack_bodies(bodies, units, GravityPrecision::mixed_precision, mixed.data());
    for (std::size_t i = 0; i < n; i += 37) {
        for (std::size_t d = 0; d < 3; ++d) {
            const double exact = bodies.x[d][i] / units.length;
            CHECK(doubles[4 * i + d] == exact);
            const double sum = static_cast<double>(mixed[8 * i + d]) + mixed[8 * i + 4 + d];
            CHECK(std::abs(sum - exact) <= 0x1p-48 * std::abs(exact));
        }
        CHECK(doubles[4 * i + 3] == bodies.mass[i] / units.mass);
        CHECK(mixed[8 * i + 3] == static_cast<float>(bodies.mass[i] / units.mass));
        CHECK(mixed[8 * i + 7] == 0);
    }
}

TEST_CASE("bodies: every number is packed, however many bodies there are") {
    // compilers pack four at a time, and the last ones by other instructions
    for (std::size_t n = 1; n <= 64; ++n) {
        const Bodies bodies = ramp(n);
        const GravityUnits units = gravity_units(bodies, 0);
        std::vector<double> doubles(4 * n);
        std::vector<float> singles(4 * n);
        std::vector<float> mixed(8 * n);
        starfmm::pack_bodies(bodies, units, GravityPrecision::double_precision, doubles.data());
        starfmm::pack_bodies(bodies, units, GravityPrecision::single_precision, singles.data());
        starfmm::pack_bodies(bodies, units, GravityPrecision::mixed_precision, mixed.data());
        for (std::size_t i = 0; i < n; ++i) {
            CAPTURE(n);
            CAPTURE(i);
            for (std::size_t d = 0; d < 3; ++d) {
                const double exact = bodies.x[d][i] / units.length;
                CHECK(doubles[4 * i + d] == exact);
                CHECK(std::abs(singles[4 * i + d] - exact) <= 0x1p-24 * std::abs(exact));
                CHECK(mixed[8 * i + d] == singles[4 * i + d]);
                const double low = exact - static_cast<double>(mixed[8 * i + d]);
                CHECK(std::abs(mixed[8 * i + 4 + d] - low) <= 0x1p-24 * std::abs(low));
            }
            const double mass = bodies.mass[i] / units.mass;
            CHECK(doubles[4 * i + 3] == mass);
            CHECK(std::abs(singles[4 * i + 3] - mass) <= 0x1p-24 * mass);
            CHECK(mixed[8 * i + 3] == singles[4 * i + 3]);
            CHECK(mixed[8 * i + 7] == 0);
        }
    }
}

TEST_CASE("bodies: sums come back in the user's units, at their place") {
    const float values[] = {1, 2, 3, 4, 5, 6, 7, 8}; // of two bodies: x, y, z, potential
    Accelerations out;
    for (auto& component : out.a) {
        component.assign(4, -1);
    }
    out.potential.assign(4, -1);
    const GravityUnits units{4, 8};
    const PackedSums part[]{{values, 1, 2}};
    starfmm::unpack_accelerations(part, units, 10, GravityPrecision::single_precision, out);
    CHECK(out.a[0] == std::vector<double>{-1, 5, 10, -1}); // 10 * 8 / 4^2
    CHECK(out.a[2] == std::vector<double>{-1, 25, 30, -1});
    CHECK(out.potential == std::vector<double>{-1, -140, -160, -1}); // -10 * 8 / 4
}

TEST_CASE("bodies: parts of the sums, many or few, come back in their order") {
    for (const std::size_t n : {11, 100'000}) { // 100000: by several threads
        const std::size_t first = n / 3;
        std::vector<double> values[2]; // [3][n] of each part
        for (int d = 0; d < 3; ++d) {
            for (std::size_t i = 0; i < n; ++i) {
                values[i < first ? 0 : 1].push_back(static_cast<double>(3 * i) + d);
            }
        }
        Accelerations out;
        for (auto& component : out.a) {
            component.assign(n, -1);
        }
        const PackedSums parts[]{
            {values[0].data(), 0, first}, {values[1].data(), first, n - first}};
        starfmm::unpack_accelerations(parts, {}, 1, GravityPrecision::double_precision, out);
        for (std::size_t d = 0; d < 3; ++d) {
            std::vector<double> expected;
            for (std::size_t i = 0; i < n; ++i) {
                expected.push_back(static_cast<double>(3 * i + d));
            }
            CHECK(out.a[d] == expected);
        }
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
