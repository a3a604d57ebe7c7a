// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/distributions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using starfmm::Distribution;
using starfmm::InputError;
using starfmm::make_points;
using starfmm::make_strengths;
using starfmm::parse_distribution;
using starfmm::Points;
using starfmm::StrengthSign;
using starfmm::StrengthType;

namespace {

constexpr std::uint64_t seed = 7;
constexpr std::size_t many = 100'000;

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

double variance(const std::vector<double>& values) {
    const double centre = mean(values);
    double sum = 0;
    for (const double value : values) {
        sum += (value - centre) * (value - centre);
    }
    return sum / static_cast<double>(values.size());
}

template <int D>
std::vector<double> distances_to_centre(const Points<D>& points) {
    std::vector<double> distances(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        double square = 0;
        for (int d = 0; d < D; ++d) {
            square += (points.x[d][i] - 0.5) * (points.x[d][i] - 0.5);
        }
        distances[i] = std::sqrt(square);
    }
    return distances;
}

template <int D>
void check_inside_and_seeded(Distribution distribution) {
    const auto points = make_points<D>(distribution, 1009, 0.1, seed);
    const auto again = make_points<D>(distribution, 1009, 0.1, seed);
    const auto other = make_points<D>(distribution, 1009, 0.1, seed + 1);
    CHECK(points.size() == 1009);
    CHECK(points.x == again.x);
    CHECK((points.x == other.x) == (distribution == Distribution::lattice));
    for (const auto& coordinate : points.x) {
        CHECK(coordinate.size() == 1009);
        CHECK(*std::min_element(coordinate.begin(), coordinate.end()) >= 0);
        CHECK(*std::max_element(coordinate.begin(), coordinate.end()) <= 1);
    }
}

template <int D>
void check_centred(Distribution distribution) {
    const auto points = make_points<D>(distribution, many, 0.1, seed);
    for (const auto& coordinate : points.x) {
        // Five standard deviations of the mean; a standard deviation is at most 0.5.
        CHECK(std::abs(mean(coordinate) - 0.5) < 5 * 0.5 / std::sqrt(double(many)));
    }
}

double fraction_below(const std::vector<double>& values, double limit) {
    const auto below = std::count_if(values.begin(), values.end(), [limit](double value) {
        return value < limit;
    });
    return static_cast<double>(below) / static_cast<double>(values.size());
}

} // namespace

TEST_CASE("distributions: names are parsed, others are rejected with the list") {
    CHECK(parse_distribution("uniform") == Distribution::uniform);
    CHECK(parse_distribution("normal") == Distribution::normal);
    CHECK(parse_distribution("layer") == Distribution::layer);
    CHECK(parse_distribution("circle") == Distribution::circle);
    CHECK(parse_distribution("plummer") == Distribution::plummer);
    CHECK(parse_distribution("lattice") == Distribution::lattice);
    CHECK_THROWS_WITH_AS(
        parse_distribution("gauss"),
        "distribution 'gauss': must be uniform, normal, layer, circle, plummer or lattice",
        InputError
    );
    CHECK_THROWS_AS(parse_distribution(""), InputError);
}

TEST_CASE("distributions: in space the circle is a sphere") {
    using starfmm::name_of;
    using starfmm::Naming;
    CHECK(parse_distribution("sphere", Naming::space) == Distribution::circle);
    CHECK_THROWS_WITH_AS(
        parse_distribution("circle", Naming::space),
        "distribution 'circle': must be uniform, normal, layer, sphere, plummer or lattice",
        InputError
    );
    CHECK_THROWS_AS(parse_distribution("sphere"), InputError);
    for (const Distribution distribution : starfmm::all_distributions) {
        for (const Naming naming : {Naming::plane, Naming::space}) {
            CHECK(parse_distribution(name_of(distribution, naming), naming) == distribution);
        }
    }
}

TEST_CASE("distributions: points lie in the unit square and depend on the seed only") {
    for (const Distribution distribution : starfmm::all_distributions) {
        CAPTURE(static_cast<int>(distribution));
        check_inside_and_seeded<2>(distribution);
        check_inside_and_seeded<3>(distribution);
    }
}

TEST_CASE("distributions: random points are centred in the unit square") {
    for (const Distribution distribution : starfmm::all_distributions) {
        if (distribution == Distribution::lattice) {
            continue; // an incomplete lattice is not centred
        }
        CAPTURE(static_cast<int>(distribution));
        check_centred<2>(distribution);
        check_centred<3>(distribution);
    }
}

TEST_CASE("distributions: no points and one point are possible") {
    for (const Distribution distribution : starfmm::all_distributions) {
        CHECK(make_points<2>(distribution, 0, 0.1, seed).size() == 0);
        CHECK(make_points<3>(distribution, 1, 0.1, seed).size() == 1);
    }
}

TEST_CASE("distributions: uniform uses the generator's 53 high bits") {
    // The standard fixes the 10000th value of a default-seeded std::mt19937_64.
    const auto points =
        make_points<2>(Distribution::uniform, 5000, 0.1, std::mt19937_64::default_seed);
    CHECK(points.x[1].back() == static_cast<double>(9981545732273789042ULL >> 11U) * 0x1p-53);
}

TEST_CASE("distributions: normal has the variance asked for in every coordinate") {
    for (const double sigma : {1e-3, 0.1}) {
        const auto points = make_points<3>(Distribution::normal, many, sigma, seed);
        for (const auto& coordinate : points.x) {
            // Relative standard deviation of a sample variance: sqrt(2 / n); five of them.
            CHECK(std::abs(variance(coordinate) / (sigma * sigma) - 1) < 5 * std::sqrt(2.0 / many));
        }
    }
}

TEST_CASE("distributions: wide normal tends to uniform") {
    for (const double sigma : {100.0, 1e3}) {
        const auto points = make_points<2>(Distribution::normal, many, sigma, seed);
        CHECK(std::abs(variance(points.x[0]) * 12 - 1) < 0.02);
    }
}

TEST_CASE("distributions: both normal samplers agree where one hands over to the other") {
    const double below = variance(make_points<2>(Distribution::normal, many, 0.4, seed).x[0]);
    const double above = variance(make_points<2>(Distribution::normal, many, 0.4001, seed).x[0]);
    CHECK(std::abs(above / below - 1) < 5 * std::sqrt(2 * 2.0 / many));
}

TEST_CASE("distributions: layer is uniform but for the last coordinate") {
    const auto points = make_points<3>(Distribution::layer, many, 0.1, seed);
    CHECK(std::abs(variance(points.x[0]) * 12 - 1) < 0.02);
    CHECK(std::abs(variance(points.x[1]) * 12 - 1) < 0.02);
    CHECK(std::abs(variance(points.x[2]) / 0.01 - 1) < 0.03);
}

TEST_CASE("distributions: circle is on the circle, sphere on the sphere, up to rounding") {
    const double tolerance = 4 * std::numeric_limits<double>::epsilon(); // a few roundings of 0.5
    const auto circle = make_points<2>(Distribution::circle, 1009, 0.1, seed);
    for (const double distance : distances_to_centre(circle)) {
        CHECK(std::abs(distance - 0.5) <= tolerance);
    }
    const auto sphere = make_points<3>(Distribution::circle, 1009, 0.1, seed);
    for (const double distance : distances_to_centre(sphere)) {
        CHECK(std::abs(distance - 0.5) <= tolerance);
    }
}

TEST_CASE("distributions: circle and sphere are covered uniformly") {
    // Second moments of a coordinate: r^2 / 2 on the circle, r^2 / 3 on the sphere, r = 0.5.
    for (const auto& coordinate : make_points<2>(Distribution::circle, many, 0.1, seed).x) {
        CHECK(std::abs(variance(coordinate) / 0.125 - 1) < 0.02);
    }
    for (const auto& coordinate : make_points<3>(Distribution::circle, many, 0.1, seed).x) {
        CHECK(std::abs(variance(coordinate) * 12 - 1) < 0.02);
    }
}

TEST_CASE("distributions: plummer holds the mass of the model inside its radius") {
    const double sigma = 0.05;
    const double cut = 100; // (0.5 / sigma)^2
    const double tolerance = 5 * 0.5 / std::sqrt(double(many));
    const auto plane =
        distances_to_centre(make_points<2>(Distribution::plummer, many, sigma, seed));
    CHECK(std::abs(fraction_below(plane, sigma) - 0.5 / (cut / (1 + cut))) < tolerance);
    const auto space =
        distances_to_centre(make_points<3>(Distribution::plummer, many, sigma, seed));
    const double expected = std::pow(0.5, 1.5) / std::pow(cut / (1 + cut), 1.5);
    CHECK(std::abs(fraction_below(space, sigma) - expected) < tolerance);
    CHECK(*std::max_element(space.begin(), space.end()) <= 0.5 + 1e-15);
}

TEST_CASE("distributions: lattice is regular, cell-centred and in order") {
    const auto square = make_points<2>(Distribution::lattice, 5, 0.1, seed);
    const std::vector<double> x{0.5 / 3, 0.5, 2.5 / 3, 0.5 / 3, 0.5};
    const std::vector<double> y{0.5 / 3, 0.5 / 3, 0.5 / 3, 0.5, 0.5};
    CHECK(square.x[0] == x);
    CHECK(square.x[1] == y);
    const auto cube = make_points<3>(Distribution::lattice, 8, 0.1, seed);
    CHECK(cube.x[0] == std::vector<double>{0.25, 0.75, 0.25, 0.75, 0.25, 0.75, 0.25, 0.75});
    CHECK(cube.x[2] == std::vector<double>{0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75});
}

TEST_CASE("distributions: lattice side is exact for perfect powers") {
    const auto cube = make_points<3>(Distribution::lattice, 125, 0.1, seed);
    CHECK(cube.x[0][0] == 0.1);
    CHECK(make_points<3>(Distribution::lattice, 126, 0.1, seed).x[0][0] == 0.5 / 6);
}

TEST_CASE("distributions: sigma out of range is rejected") {
    CHECK_THROWS_WITH_AS(
        make_points<2>(Distribution::normal, 1, 0, seed),
        "sigma = 0: must be in [1e-15, 1000]",
        InputError
    );
    CHECK_THROWS_AS(make_points<3>(Distribution::layer, 1, -1, seed), InputError);
    CHECK_THROWS_AS(make_points<2>(Distribution::plummer, 1, 1e4, seed), InputError);
    CHECK_THROWS_AS(make_points<2>(Distribution::uniform, 1, NAN, seed), InputError);
}

TEST_CASE("distributions: strengths have the sign and type asked for") {
    const auto real = make_strengths(many, StrengthSign::random, StrengthType::real, seed);
    CHECK_FALSE(real.is_complex());
    CHECK(std::abs(mean(real.re)) < 5 / std::sqrt(3.0 * many));
    CHECK(std::abs(variance(real.re) * 3 - 1) < 0.02);
    CHECK(*std::max_element(real.re.begin(), real.re.end()) <= 1);
    CHECK(*std::min_element(real.re.begin(), real.re.end()) >= -1);
    const auto complex = make_strengths(many, StrengthSign::random, StrengthType::complex, seed);
    CHECK(complex.re == real.re);
    CHECK(complex.im.size() == many);
    CHECK(complex.im != complex.re);
    const auto positive = make_strengths(many, StrengthSign::positive, StrengthType::complex, seed);
    CHECK(*std::min_element(positive.re.begin(), positive.re.end()) > 0);
    CHECK(*std::min_element(positive.im.begin(), positive.im.end()) > 0);
    CHECK(*std::max_element(positive.re.begin(), positive.re.end()) <= 1);
}

TEST_CASE("distributions: strengths do not repeat the coordinates of the same seed") {
    const auto points = make_points<2>(Distribution::uniform, many, 0.1, seed);
    const auto q = make_strengths(2 * many, StrengthSign::positive, StrengthType::real, seed);
    double covariance = 0;
    for (std::size_t i = 0; i < many; ++i) {
        covariance += (points.x[0][i] - 0.5) * (q.re[2 * i] - 0.5) / many;
    }
    CHECK(std::abs(covariance) < 5.0 / 12 / std::sqrt(double(many)));
}
