// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/distributions.hpp"
#include "core/particles/spread.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using starfmm::Distribution;
using starfmm::evenness;
using starfmm::filled_dimensions;
using starfmm::Points;

TEST_CASE("spread: evenness is the share of equal masses that add up alike, in any unit") {
    for (const double unit : {1e-150, 1.0, 1e150}) {
        for (const std::size_t n : {1, 7, 200'000}) { // by one thread, by several
            CAPTURE(unit);
            CAPTURE(n);
            const auto all = static_cast<double>(n);
            std::vector<double> masses(n, unit);
            CHECK(evenness(masses) == doctest::Approx(1));
            masses.assign(n, 0);
            CHECK(evenness(masses) == 1);
            masses.back() = unit;
            CHECK(evenness(masses) == doctest::Approx(1 / all));
            for (std::size_t i = 0; i < n; ++i) {
                masses[i] = unit * static_cast<double>(i + 1) / all;
            }
            // (n (n + 1) / 2)^2 over n times n (n + 1) (2 n + 1) / 6
            CHECK(evenness(masses) == doctest::Approx(1.5 * (all + 1) / (2 * all + 1)));
        }
    }
    CHECK(evenness(std::vector<double>{1, -1, 1, -1}) == 0);
}

TEST_CASE("spread: bodies of usual models fill space") {
    for (const Distribution distribution :
         {Distribution::uniform,
          Distribution::normal,
          Distribution::plummer,
          Distribution::lattice}) {
        for (const unsigned seed : {1, 2, 3, 4, 5}) {
            for (const std::size_t n : {600, 100'000}) {
                CAPTURE(static_cast<int>(distribution));
                CAPTURE(seed);
                CAPTURE(n);
                CHECK(filled_dimensions(starfmm::make_points<3>(distribution, n, 0.1, seed)) > 2.3);
            }
        }
    }
}

TEST_CASE("spread: bodies on surfaces, lines and at few places have fewer dimensions") {
    const std::size_t n = 20'000;
    for (const unsigned seed : {1, 2, 3}) {
        CAPTURE(seed);
        const auto sphere = starfmm::make_points<3>(Distribution::circle, n, 0.1, seed);
        CHECK(filled_dimensions(sphere) == doctest::Approx(2).epsilon(0.1));
        const auto disc = starfmm::make_points<3>(Distribution::layer, n, 1e-4, seed);
        CHECK(filled_dimensions(disc) == doctest::Approx(2).epsilon(0.15));
        Points<3> line = starfmm::make_points<3>(Distribution::uniform, n, 0.1, seed);
        line.x[1] = line.x[0];
        line.x[2] = line.x[0];
        CHECK(filled_dimensions(line) == doctest::Approx(1).epsilon(0.15));
        Points<3> sites = line;
        for (std::size_t i = 0; i < n; ++i) {
            sites.x[0][i] = static_cast<double>(i % 3);
            sites.x[1][i] = static_cast<double>(i % 2);
            sites.x[2][i] = 0;
        }
        CHECK(filled_dimensions(sites) == 0);
    }
    CHECK(filled_dimensions(Points<3>{{{{1}, {2}, {3}}}}) == 3);
    CHECK(filled_dimensions(Points<3>{{{{1, 1}, {2, 2}, {3, 3}}}}) == 0);
}
