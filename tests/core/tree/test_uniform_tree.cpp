// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/distributions.hpp"
#include "core/tree/uniform_tree.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using starfmm::Domain;
using starfmm::UniformTree;

namespace {

template <int D>
std::array<double, D> point(const starfmm::Points<D>& points, std::size_t i) {
    std::array<double, D> x{};
    for (int d = 0; d < D; ++d) {
        x[d] = points.x[d][i];
    }
    return x;
}

/// Checks that every point lies in its box, up to a rounding of its coordinates, and in the box's
/// ball.
template <int D>
void check_boxes(const starfmm::Points<D>& points, int height) {
    UniformTree<D> tree;
    tree.domain = starfmm::bounding_domain<D>(points);
    tree.height = height;
    const double side = tree.domain.side / std::ldexp(1, height);
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * tree.domain.side;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto x = point(points, i);
        const auto box = tree.domain.box_of(x, height);
        REQUIRE(box < UniformTree<D>::n_boxes(height));
        const auto centre = tree.centre(height, box);
        double square = 0;
        for (int d = 0; d < D; ++d) {
            REQUIRE(std::abs(x[d] - centre[d]) <= 0.5 * side + rounding);
            square += (x[d] - centre[d]) * (x[d] - centre[d]);
        }
        REQUIRE(std::sqrt(square) <= tree.radius(height) + rounding);
    }
}

} // namespace

TEST_CASE("uniform_tree: points lie in their boxes") {
    for (const int height : {0, 1, 5}) {
        check_boxes<2>(starfmm::make_points<2>(starfmm::Distribution::normal, 500, 0.1, 1), height);
        check_boxes<3>(starfmm::make_points<3>(starfmm::Distribution::circle, 500, 0.1, 1), height);
    }
}

TEST_CASE("uniform_tree: the domain is the smallest square, cube, on the lowest corner") {
    const Domain<2> domain = starfmm::bounding_domain<2>({{{{1, 3, 2}, {5, 4, 4.5}}}});
    CHECK(domain.corner == std::array<double, 2>{1, 4});
    CHECK(domain.side == 2);
    const Domain<3> one = starfmm::bounding_domain<3>({{{{7}, {8}, {9}}}});
    CHECK(one.corner == std::array<double, 3>{7, 8, 9});
    CHECK(one.side == 1);
    CHECK(starfmm::bounding_domain<2>({}).side == 1);
}

TEST_CASE("uniform_tree: points on and beyond the border belong to the box next to them") {
    const Domain<2> domain{{0, 0}, 1};
    CHECK(domain.box_of({1, 1}, 3) == 63);
    CHECK(domain.box_of({-5, 2}, 3) == starfmm::z_code<2>({0, 7}));
    CHECK(domain.box_of({0, 0}, 3) == 0);
    CHECK(domain.box_of({0.5, 0.49999}, 1) == 1);
}

TEST_CASE("uniform_tree: a box of any level covers its children") {
    const std::vector<std::uint32_t> offsets{
        0, 0, 2, 3, 3, 7, 8, 8, 9, 10, 11, 12, 13, 20, 20, 20, 25};
    const UniformTree<2> tree{{}, 2, offsets.data()};
    CHECK(tree.begin(0, 0) == 0);
    CHECK(tree.size(0, 0) == 25);
    for (starfmm::ZCode box = 0; box < 4; ++box) {
        std::uint32_t sum = 0;
        for (starfmm::ZCode child = 0; child < 4; ++child) {
            const starfmm::ZCode finest = UniformTree<2>::first_child(box) + child;
            CHECK(UniformTree<2>::parent(finest) == box);
            sum += tree.size(2, finest);
        }
        CHECK(tree.size(1, box) == sum);
    }
    CHECK(tree.centre(1, 2)[0] == 0.25);
    CHECK(tree.centre(1, 2)[1] == 0.75);
    CHECK(tree.radius(0) == doctest::Approx(std::sqrt(0.5)));
}
