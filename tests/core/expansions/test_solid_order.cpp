// SPDX-License-Identifier: BSD-3-Clause
// Tests compare the error of an order with translations of random pairs.
#include "core/expansions/truncation.hpp"
#include "tests/support/space/solid_exact.hpp"

#include <doctest/doctest.h>

#include <cmath>

using starfmm::Frame;
using starfmm::max_degrees;
using starfmm::solid_error;
using starfmm::solid_order;
using starfmm::TruncationOrders;
using starfmm::Vector3;

namespace {

using Solid = starfmm::SolidHarmonics3D<double>;
using Coefficients = std::vector<double>;

/// Two balls about cubes, and the number of terms that their M2L takes.
struct Pair {
    Frame<double, 3> source;
    Frame<double, 3> target;
    int order;
};

enum class Where { surface, cube };

/// A place in the cube that the unit ball touches in eight corners.
Extended in_cube(SolidDraws<double>& draws) {
    const auto place = [&] {
        return static_cast<long double>((2 * draws.share() - 1) / std::sqrt(3));
    };
    const long double x = place();
    const long double y = place();
    return {x, y, place()};
}

/// Measures the root mean square error of M2L between points of two cubes, or of the surfaces of the
/// balls about them, relative to 1 / their distance, over sources and targets that are uniform there.
double measured_error(const Pair& pair, Where where, int n_sources, std::uint64_t seed) {
    SolidDraws<double> draws(seed);
    const auto point_of = [&](const Frame<double, 3>& box) {
        const Extended place = where == Where::cube ? in_cube(draws) : draws.direction();
        return SolidDraws<double>::rounded(
            extended(box.centre) + static_cast<long double>(box.radius) * place
        );
    };
    const int p = pair.order;
    constexpr int n_targets = 8;
    double sum = 0;
    for (int i = 0; i < n_sources; ++i) {
        Coefficients a(Solid::n_coefficients(p));
        Coefficients b(Solid::n_coefficients(p));
        const Vector3<double> source = point_of(pair.source);
        Solid::p2m(p, pair.source, source, 1.0, a.data());
        Solid::m2l(p, pair.source, a.data(), pair.target, b.data());
        for (int j = 0; j < n_targets; ++j) {
            const Vector3<double> target = point_of(pair.target);
            const double value = Solid::evaluate_local(p, pair.target, b.data(), target);
            const double error = value - 1 / starfmm::length(target - source);
            sum += error * error;
        }
    }
    const double d = starfmm::length(pair.target.centre - pair.source.centre);
    return d * std::sqrt(sum / (n_sources * n_targets));
}

/// Makes balls that just satisfy the criterion, R + theta r = theta d for R >= r, in any direction.
Pair touching_pair(double theta, double source_radius, double target_radius, std::uint64_t seed) {
    SolidDraws<double> draws(seed);
    const double larger = std::max(source_radius, target_radius);
    const double smaller = std::min(source_radius, target_radius);
    const double d = (larger + theta * smaller) / theta * 1.000001;
    const auto centre =
        SolidDraws<double>::rounded(static_cast<long double>(d) * draws.direction());
    return {{{0, 0, 0}, source_radius}, {centre, target_radius}, 0};
}

/// Whether an order meets 0.4 of the tolerance: points of a lattice lie in the same directions in
/// all boxes.
bool serves(int order, double tolerance, double theta) {
    return solid_error(order, theta) <= 0.4 * tolerance;
}

} // namespace

TEST_CASE("solid_order: errors fall with the order and grow with theta") {
    for (const double theta : {0.2, 0.35, 0.5, 0.65}) {
        CAPTURE(theta);
        for (int p = 1; p < max_degrees; ++p) {
            CHECK(solid_error(p + 1, theta) < solid_error(p, theta));
            CHECK(solid_error(p, theta) < solid_error(p, theta + 0.05));
        }
    }
}

TEST_CASE("solid_order: the least order whose error is below the tolerance") {
    for (const double theta : {0.407, 0.548, 0.633, 0.765}) {
        int last = 1;
        for (const double tolerance : {0.9, 1e-1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) {
            CAPTURE(theta);
            CAPTURE(tolerance);
            const int p = solid_order(tolerance, theta);
            CHECK(p >= last);
            last = p;
            CHECK((p > max_degrees || serves(p, tolerance, theta)));
            CHECK((p == 1 || !serves(p - 1, tolerance, theta)));
            CHECK(starfmm::Laplace<float>::order_of_cells(tolerance, theta) == p);
        }
    }
    CHECK(solid_order(1e-15, 0.9) == max_degrees + 1);
    CHECK(solid_order(1e-3, 0.765) == 7);
    CHECK(solid_order(1e-6, 0.765) == 17);
    CHECK(solid_order(1e-9, 0.633) == 23);
    CHECK(solid_order(1e-12, 0.633) == 33);
}

TEST_CASE("solid_order: all terms of pairs of cubes, of which few are nearest") {
    using starfmm::solid_neighbours_order;
    CHECK(solid_neighbours_order(1e-3) == 7);
    CHECK(solid_neighbours_order(1e-6) == 14);
    CHECK(solid_neighbours_order(1e-9) == 24);
    CHECK(solid_neighbours_order(1e-15) == max_degrees + 1);
    for (int p = 1; p < max_degrees; ++p) {
        CHECK(starfmm::solid_neighbours_error(p + 1) < starfmm::solid_neighbours_error(p));
        CHECK(starfmm::solid_neighbours_error(p) < solid_error(p, 0.765));
    }
}

TEST_CASE("solid_order: the error of all terms is that of random points of far cubes") {
    constexpr int n_points = 40;
    SolidDraws<double> draws(8);
    const auto inside = [&](const Vector3<double>& cube) {
        const auto place = [&] { return draws.share() - 0.5; };
        const double x = place();
        const double y = place();
        return cube + Vector3<double>{x, y, place()};
    };
    for (const int p : {1, 3, 6, 9}) { // higher orders depend on rare points near each other
        CAPTURE(p);
        const Frame<double, 3> source{{0, 0, 0}, std::sqrt(0.75)};
        double errors = 0;
        double sums = 0;
        for (int place = 0; place < 216; ++place) {
            const int at[]{place % 6 - 2, place / 6 % 6 - 2, place / 36 - 2};
            if (std::max({std::abs(at[0]), std::abs(at[1]), std::abs(at[2])}) < 2) {
                continue;
            }
            const Frame<double, 3> target{
                {double(at[0]), double(at[1]), double(at[2])}, source.radius};
            for (int i = 0; i < n_points; ++i) {
                const Vector3<double> x = inside(source.centre);
                const Vector3<double> y = inside(target.centre);
                Coefficients a(Solid::n_coefficients(p));
                Coefficients b(Solid::n_coefficients(p));
                Solid::p2m(p, source, x, 1.0, a.data());
                Solid::m2l(p, source, a.data(), target, b.data());
                const double exact = 1 / starfmm::length(y - x);
                const double error = Solid::evaluate_local(p, target, b.data(), y) - exact;
                errors += error * error;
                sums += exact * exact;
            }
        }
        const double error = starfmm::solid_neighbours_error(p);
        CHECK(std::sqrt(errors / sums) == doctest::Approx(error).epsilon(0.25));
    }
}

TEST_CASE("solid_order: cubes of one size in any direction err no more than twice what it says") {
    for (const double theta : {0.407, 0.548, 0.633, 0.765}) {
        for (const int order : {2, 4, 7, 12, 17}) {
            CAPTURE(theta);
            CAPTURE(order);
            double squares = 0;
            constexpr int n_pairs = 30;
            for (int i = 0; i < n_pairs; ++i) {
                Pair pair = touching_pair(theta, 1, 1, i);
                pair.order = order;
                squares += std::pow(measured_error(pair, Where::cube, 200, i), 2);
            }
            const double measured = std::sqrt(squares / n_pairs);
            CHECK(measured < 2 * solid_error(order, theta));
            CHECK(measured > 0.01 * solid_error(order, theta));
        }
    }
}

TEST_CASE("solid_order: farther pairs, which take fewer terms, err no more than the nearest") {
    using Kernel = starfmm::Laplace<double>;
    SolidDraws<double> draws(6);
    for (const double theta : {0.407, 0.548, 0.765}) {
        for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
            const int order = solid_order(tolerance, theta);
            const auto orders = TruncationOrders::of<Kernel>(theta, order, true);
            for (int i = 0; i < 40; ++i) {
                const double other = i % 3 == 0 ? 0.5 : 1;
                Pair pair = i % 2 == 0 ? touching_pair(theta, 1, other, i)
                                       : touching_pair(theta, other, 1, i);
                pair.order = order;
                const double nearest = measured_error(pair, Where::cube, 300, i);
                const double farther = std::pow(10.0, 1.5 * draws.share());
                pair.target.centre = farther * pair.target.centre;
                pair.order = orders.order(pair.source, pair.target);
                CAPTURE(theta);
                CAPTURE(tolerance);
                CAPTURE(other);
                CAPTURE(farther);
                CAPTURE(pair.order);
                CHECK(pair.order <= order);
                CHECK(measured_error(pair, Where::cube, 300, i) <= 2 * nearest + tolerance);
            }
        }
    }
}

TEST_CASE("solid_order: the error of a pair of points is that of random points of two spheres") {
    for (const double theta : {0.4, 0.5, 0.6}) {
        const double ratio2 = std::pow(theta / (1 + theta), 2);
        for (const int order :
             {1, 2, 4, 6}) { // higher orders depend on rare points near each other
            CAPTURE(theta);
            CAPTURE(order);
            Pair pair = touching_pair(theta, 1, 1, 17);
            pair.order = order;
            const double measured = measured_error(pair, Where::surface, 40000, 5);
            const double square = starfmm::solid_square_left_out(order, ratio2, ratio2);
            CHECK(std::sqrt(square) > 0.75 * measured);
            CHECK(std::sqrt(square) < 1.7 * measured);
        }
    }
}

TEST_CASE("solid_order: points nearer to their centres leave out less, on either side") {
    using starfmm::solid_square_left_out;
    for (const double theta : {0.4, 0.5, 0.633, 0.765}) {
        const double ratio2 = std::pow(theta / (1 + theta), 2);
        for (const int order : {1, 4, 7, 17, 30, max_degrees}) {
            CAPTURE(theta);
            CAPTURE(order);
            CHECK(
                solid_square_left_out(order, ratio2, 0) <
                solid_square_left_out(order, ratio2, ratio2)
            );
            CHECK(
                solid_square_left_out(order, 0.01, 0.04) ==
                doctest::Approx(solid_square_left_out(order, 0.04, 0.01))
            );
        }
    }
}
