// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/image.hpp"

#include <doctest/doctest.h>

#include <numeric>

using starfmm::Bodies;
using starfmm::draw;
using starfmm::fitting_width;
using starfmm::Image;
using starfmm::InputError;
using starfmm::projected_mass;

namespace {

constexpr int pixels = 20;
constexpr double width = 20; // a pixel is a unit

Bodies body(double x, double y, double mass = 1) {
    Bodies bodies;
    bodies.x = {{{x}, {y}, {7}}};
    bodies.mass = {mass};
    return bodies;
}

/// Brightness of a pixel.
int sum_of(const Image& image, int row, int column) {
    const auto* const rgb = &image.rgb[3 * static_cast<std::size_t>(row * image.width + column)];
    return rgb[0] + rgb[1] + rgb[2];
}

} // namespace

TEST_CASE("image: a body is spread about its pixel and keeps its mass") {
    // x = 2.5: column 12; y = -3.5: row 13 from the top
    const std::vector<double> mass = projected_mass(body(2.5, -3.5, 256), width, pixels);
    CHECK(std::accumulate(mass.begin(), mass.end(), 0.0) == 256);
    CHECK(mass[13 * pixels + 12] == 36);
    CHECK(mass[13 * pixels + 10] == 6);
    CHECK(mass[11 * pixels + 10] == 1);
    CHECK(mass[15 * pixels + 14] == 1);
    CHECK(mass[14 * pixels + 12] == 24);
    CHECK(mass[16 * pixels + 12] == 0);
    CHECK(mass[13 * pixels + 9] == 0);
}

TEST_CASE("image: bodies outside the view do not count, edges lose what is spread beyond") {
    for (const auto& [x, y] :
         {std::pair(10.5, 0.0), std::pair(0.0, -10.5), std::pair(1e300, 0.0)}) {
        const std::vector<double> mass = projected_mass(body(x, y), width, pixels);
        CHECK(std::accumulate(mass.begin(), mass.end(), 0.0) == 0);
    }
    const std::vector<double> corner = projected_mass(body(-9.5, 9.5, 256), width, pixels);
    CHECK(corner[0] == 36);
    CHECK(std::accumulate(corner.begin(), corner.end(), 0.0) == 11 * 11);
}

TEST_CASE("image: the greatest mass is the brightest, the empty sky is dark") {
    Bodies bodies = body(2.5, -3.5);
    for (int i = 0; i < 100; ++i) {
        for (int d = 0; d < 3; ++d) {
            bodies.x[d].push_back(-5.5);
        }
        bodies.mass.push_back(1);
    }
    const Image image = draw(bodies, width, pixels);
    CHECK(image.width == pixels);
    CHECK(image.height == pixels);
    CHECK(image.rgb.size() == 3 * pixels * pixels);
    const int dense = sum_of(image, 15, 4);
    const int single = sum_of(image, 13, 12);
    CHECK(dense == 252 + 253 + 239);
    CHECK(single > 100); // 1 / 100 of the greatest: a third of the way from the bottom
    CHECK(single < dense / 2);
    CHECK(sum_of(image, 0, 0) == 4);
}

TEST_CASE("image: no body, none in the view, or only massless ones: an empty sky") {
    for (const Bodies& bodies : {Bodies{}, body(1e3, 0), body(0, 0, 0)}) {
        const Image image = draw(bodies, width, pixels);
        for (int i = 0; i < pixels; ++i) {
            CHECK(sum_of(image, i, i) == 4);
        }
    }
}

TEST_CASE("image: the fitting view is round, centred, and holds nearly all bodies") {
    Bodies bodies;
    for (int i = 1; i <= 100; ++i) {
        bodies.x[0].push_back(i % 2 == 0 ? 0.01 * i : 0);
        bodies.x[1].push_back(i % 2 == 0 ? 0 : -0.01 * i);
        bodies.x[2].push_back(0);
        bodies.mass.push_back(1);
    }
    CHECK(fitting_width(bodies) == 2); // 2 * 0.95, rounded up
    for (auto& x : bodies.x) {
        for (double& value : x) {
            value *= 1.2; // 2 * 1.14
        }
    }
    CHECK(fitting_width(bodies) == 5);
    CHECK(fitting_width(body(0, 0)) == 1);
    CHECK(fitting_width(Bodies{}) == 1);
    CHECK(fitting_width(body(0, 0.05)) == doctest::Approx(0.1));
}

TEST_CASE("image: bad sizes are refused") {
    CHECK_THROWS_WITH_AS(
        draw(body(0, 0), width, 15), "pixels = 15: must be in [16, 16384]", InputError
    );
    CHECK_THROWS_AS(draw(body(0, 0), 0, pixels), InputError);
}
