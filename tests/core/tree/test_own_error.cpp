// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/own_error.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

using starfmm::BoxPowers;
using starfmm::OwnErrorSeparation;
using starfmm::OwnReach;
using starfmm::PowerSums;

PowerSums body(double mass, double distance, double field, int order) {
    return {mass, mass * std::pow(distance, order), distance, field};
}

/// Ratio of what a pair leaves out of the field to what it may leave out.
double share(
    const BoxPowers& source,
    const BoxPowers& target,
    double distance,
    const OwnErrorSeparation& rule
) {
    const double left_out = source.mass * std::pow(source.size + target.extent, rule.order) /
                            std::pow(distance, rule.order + 2);
    return left_out / (rule.error * target.field);
}

bool are_apart(
    const BoxPowers& source,
    const BoxPowers& target,
    double distance,
    const OwnErrorSeparation& rule
) {
    const OwnReach of_source(source, rule);
    return starfmm::are_apart_by_own_error(
        of_source.source, of_source.source_size, OwnReach(target, rule), distance * distance
    );
}

} // namespace

TEST_CASE("own_error: boxes are apart where little is left out of the field") {
    for (const int order : {1, 2, 4, 8}) {
        const OwnErrorSeparation rule{1e-4, order, 1, 1, 1};
        for (const double mass : {1e-10, 1e-3, 1.0}) {
            for (const double size : {1e-3, 0.1}) {
                for (const double field : {1e-6, 1.0, 1e3}) {
                    CAPTURE(order);
                    CAPTURE(mass);
                    CAPTURE(size);
                    CAPTURE(field);
                    const BoxPowers source({mass, mass * std::pow(size, order), size, 1}, order);
                    const BoxPowers target({1, 0, 0.1, field}, order);
                    const double limit =
                        std::pow(share(source, target, 1, rule), 1.0 / (order + 2));
                    // sizes are added by their powers: equal ones exactly, others with a deficit by
                    // at most the factor 4 of what is left out
                    const double least = size == 0.1 ? 1 : std::pow(4, -1.0 / (order + 2));
                    CHECK(are_apart(source, target, limit * 1.0001, rule));
                    CHECK(!are_apart(source, target, least * limit * 0.9999, rule));
                }
            }
        }
    }
}

TEST_CASE("own_error: a box of no mass is far from all, one without a field from no mass") {
    const OwnErrorSeparation rule{1e-3, 4, 1, 1, 1};
    const BoxPowers massless({0, 0, 1, 0}, 4);
    const BoxPowers heavy(body(1, 0.5, 1, 4), 4);
    CHECK(massless.size == 0);
    CHECK(are_apart(massless, massless, 1e-100, rule));
    CHECK(are_apart(massless, heavy, 1e-100, rule));
    CHECK(!are_apart(heavy, massless, 1e6, rule));
}

TEST_CASE("own_error: powers of parents are no less than their bodies'") {
    for (const int order : {1, 3, 8}) {
        CAPTURE(order);
        // along a line: two boxes about -1 and 2, and their parent about 0
        PowerSums sums;
        PowerSums exact;
        for (const double centre : {-1.0, 2.0}) {
            PowerSums own;
            for (const double x : {-0.3, 0.1, 0.25}) {
                const double mass = 1 + x;
                own.add(body(mass, std::abs(x), 3 + x, order));
                exact.add(body(mass, std::abs(centre + x), 3 + x, order));
            }
            sums.add(BoxPowers(own, order).from(std::abs(centre), order));
        }
        const BoxPowers parent(sums, order);
        const BoxPowers bodies(exact, order);
        CHECK(parent.mass == doctest::Approx(bodies.mass).epsilon(1e-14));
        CHECK(parent.field == bodies.field);
        CHECK(parent.extent >= bodies.extent);
        CHECK(parent.size >= bodies.size);
        CHECK(parent.size <= 1.15 * bodies.size);
    }
}

TEST_CASE("own_error: attractions that cancel count by their potential") {
    CHECK(starfmm::least_field(2, 0) == 4);
    CHECK(starfmm::least_field(-2, 0) == 4);
    CHECK(starfmm::least_field(2, 5) == 5);
    // two halves of all mass lie at 1 and -1; at 0, sum m / r^2 is 1
    CHECK(starfmm::least_field(1, 0) <= 1);
}
