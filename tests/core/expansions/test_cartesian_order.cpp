// SPDX-License-Identifier: BSD-3-Clause
// Tests of the orders of Cartesian Taylor expansions for given errors.
#include "core/expansions/cartesian_index.hpp"
#include "core/expansions/cartesian_order.hpp"

#include <doctest/doctest.h>

using starfmm::cartesian_error;
using starfmm::cartesian_order;
using starfmm::largest_cartesian_order;

TEST_CASE("cartesian_order: errors fall with the order and with theta") {
    double larger_theta = 1;
    for (const double theta : {0.9, 0.765, 0.7, 0.6, 0.5, 0.441, 0.4, 0.2}) {
        for (int order = 1; order <= largest_cartesian_order; ++order) {
            const auto errors = cartesian_error(order, theta);
            CHECK(errors.median < errors.p99);
            CHECK(errors.median <= cartesian_error(order, larger_theta).median);
            CHECK(errors.p99 <= cartesian_error(order, larger_theta).p99);
            if (order > 1) {
                CHECK(errors.median < cartesian_error(order - 1, theta).median);
                CHECK(errors.p99 < cartesian_error(order - 1, theta).p99);
            }
        }
        larger_theta = theta;
    }
}

TEST_CASE("cartesian_order: errors fall with the angle of heavy boxes") {
    CHECK(cartesian_error(4, 0.765, 0.9).p99 == cartesian_error(4, 0.765).p99); // more than theta
    double larger_heavy = 0.9;
    for (const double heavy : {0.33, 0.27, 0.22, 0.18}) {
        for (int order = 1; order <= largest_cartesian_order; ++order) {
            const auto errors = cartesian_error(order, 0.765, heavy);
            CHECK(errors.median <= cartesian_error(order, 0.765, larger_heavy).median);
            CHECK(errors.p99 <= cartesian_error(order, 0.765, larger_heavy).p99);
            CHECK(errors.median <= cartesian_error(order, 0.765).median);
            CHECK(errors.p99 <= cartesian_error(order, 0.765).p99);
            CHECK(cartesian_order(errors, 0.765, heavy) <= order);
        }
        larger_heavy = heavy;
    }
    CHECK(cartesian_error(4, 0.765, 0.33).p99 < 0.5 * cartesian_error(4, 0.765).p99);
}

TEST_CASE("cartesian_order: the least order that has both errors, or the largest") {
    for (const double theta : {0.765, 0.633, 0.547, 0.441}) {
        for (int order = 2; order <= largest_cartesian_order; ++order) {
            const auto errors = cartesian_error(order, theta);
            CHECK(cartesian_order({errors.median, 1}, theta) == order);
            CHECK(cartesian_order({1, errors.p99}, theta) == order);
            CHECK(cartesian_order({1.01 * errors.median, 1}, theta) == order);
            CHECK(
                cartesian_order({1.01 * cartesian_error(order - 1, theta).median, 1}, theta) < order
            );
        }
        CHECK(cartesian_order({1e-12, 1}, theta) == largest_cartesian_order);
    }
    CHECK(cartesian_order({1, 1}, 0.765) == 1);
}

TEST_CASE("cartesian_order: from one choice to the next both errors fall") {
    for (const auto separation :
         {starfmm::CartesianSeparation::by_share, starfmm::CartesianSeparation::by_theta}) {
        starfmm::AccelerationErrors before{1, 1};
        for (const auto& choice : starfmm::cartesian_choices(separation)) {
            CAPTURE(choice.theta);
            CAPTURE(choice.order);
            CAPTURE(choice.heavy);
            const auto errors = cartesian_error(choice.order, choice.theta, choice.heavy);
            CHECK(errors.median < before.median);
            CHECK(errors.p99 <= before.p99);
            before = errors;
        }
        CHECK(before.median < 1e-8);
    }
}
