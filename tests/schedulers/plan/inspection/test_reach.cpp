// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/expansions/pascal.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/plan/inspection/reach.hpp"
#include "schedulers/plan/plan.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using starfmm::Harmonic;
using starfmm::InputError;
using starfmm::kernel_set;
using starfmm::KernelTraits;
using starfmm::Plan;
using starfmm::PlanOptions;

namespace {

const KernelTraits& harmonic() {
    return kernel_set<Harmonic<double, false>>().traits;
}

const KernelTraits& single() {
    return kernel_set<Harmonic<float, false>>().traits;
}

const KernelTraits& laplace() {
    return kernel_set<starfmm::LaplaceGradient<double>>().traits;
}

template <class Check>
std::string message_of(const Check& check) {
    try {
        check();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("reach: of an order it is the inverse of the kernel's rule") {
    for (const double theta : {0.3, 0.5, 0.8, 0.95}) {
        for (const int order : {1, 17, 40, 63, starfmm::max_order}) {
            // p = ceil(log(tol / 16) / log(theta))
            const double expected = 16 * std::pow(theta, order);
            if (expected < 1) {
                CHECK(
                    starfmm::reach_of_order(harmonic(), order, theta) ==
                    doctest::Approx(expected).epsilon(1e-9)
                );
            }
        }
    }
}

TEST_CASE("reach: in space, too, it is the inverse of the rule, up to the largest order") {
    CHECK(laplace().largest_order == 40);
    for (const double theta : {0.4, 0.5, 0.8}) {
        for (const int order : {1, 6, 39, 40}) {
            CAPTURE(theta);
            CAPTURE(order);
            const double reach = starfmm::reach_of_order(laplace(), order, theta);
            if (reach < 0.999) {
                CHECK(laplace().order(reach * (1 + 1e-9), theta) <= order);
                CHECK(laplace().order(reach * (1 - 1e-9), theta) == order + 1);
            }
        }
    }
}

TEST_CASE("reach: a tolerance below that of the precision is refused") {
    CHECK_NOTHROW(starfmm::check_precision(harmonic(), 1e-15));
    CHECK_NOTHROW(starfmm::check_precision(single(), 1e-6));
    CHECK(
        message_of([] { starfmm::check_precision(single(), 1e-9); }) ==
        "tolerance = 1e-09: single precision reaches 4.8e-07 at best: use a larger tolerance, or "
        "double "
        "precision"
    );
    CHECK(
        message_of([] { starfmm::check_precision(harmonic(), 1e-16); }) ==
        "tolerance = 1e-16: double precision reaches 8.9e-16 at best: use a larger tolerance"
    );
}

TEST_CASE("reach: a tolerance that the largest order cannot meet is refused") {
    CHECK_NOTHROW(starfmm::check_order(harmonic(), 1e-12, 0.6));
    CHECK_NOTHROW(starfmm::check_order(harmonic(), 1e-6, 0.8)); // 74 terms, of which 64 are enough
    const std::string message = message_of([] { starfmm::check_order(harmonic(), 1e-12, 0.8); });
    CHECK(
        message ==
        "tolerance = 1e-12: with theta 0.8 the largest order, 64, reaches 1e-05: use a theta of at "
        "most 0.61, or a larger tolerance"
    );
    CHECK_NOTHROW(starfmm::check_order(harmonic(), 1e-12, 0.61)); // the advice is good
    CHECK(message_of([] { starfmm::check_order(harmonic(), 1e-3, 0.95); }) != "");
}

TEST_CASE("reach: in space a tolerance that the largest order cannot meet is refused") {
    CHECK_NOTHROW(starfmm::check_order(laplace(), 1e-13, 0.5));
    const std::string message = message_of([] { starfmm::check_order(laplace(), 1e-12, 0.8); });
    CAPTURE(message);
    const std::string begin = "tolerance = 1e-12: with theta 0.8 the largest order, 40, reaches ";
    CHECK(message.starts_with(begin));
    const auto advice = message.find("use a theta of at most ");
    REQUIRE(advice != std::string::npos);
    const double theta = std::stod(message.substr(advice + 23));
    CHECK(theta > 0.5);
    CHECK_NOTHROW(starfmm::check_order(laplace(), 1e-12, theta)); // the advice is good
    // the reach, too, without room that its rule does not leave
    const double reach = std::stod(message.substr(begin.size()));
    CHECK_NOTHROW(starfmm::check_order(laplace(), 1.1 * reach, 0.8));
    CHECK_THROWS_AS(starfmm::check_order(laplace(), 0.9 * reach, 0.8), InputError);
}

TEST_CASE("reach: single precision in space is refused below what its sums lose") {
    const KernelTraits& kernel = kernel_set<starfmm::LaplaceGradient<float>>().traits;
    CHECK_NOTHROW(starfmm::check_precision(kernel, 1e-5));
    CHECK(
        message_of([&] { starfmm::check_precision(kernel, 1e-6); }) ==
        "tolerance = 1e-06: single precision reaches 9.5e-06 at best: use a larger tolerance, or "
        "double "
        "precision"
    );
    CHECK_NOTHROW(starfmm::check_precision(laplace(), 1e-13));
    CHECK_THROWS_AS(starfmm::check_precision(laplace(), 1e-14), InputError);
}

TEST_CASE("reach: kernels with more coefficients than bodies have room for are refused") {
    starfmm::KernelTraits many = harmonic();
    many.name = "many";
    many.n_coefficients = [](int order) { return (order + 1) * (order + 2) / 2; };
    CHECK_NOTHROW(starfmm::check_coefficients(many, 9));
    CHECK(
        message_of([&] { starfmm::check_coefficients(many, 10); }) ==
        "kernel many: 66 coefficients of order 10: must be in [1, 65], of an order in [1, 64]"
    );
    CHECK_NOTHROW(starfmm::check_coefficients(harmonic(), 64));
    CHECK(message_of([] { starfmm::check_coefficients(harmonic(), 65); }) != "");
    CHECK_NOTHROW(starfmm::check_coefficients(laplace(), 40));
    CHECK(
        message_of([] { starfmm::check_coefficients(laplace(), 41); }) ==
        "kernel laplace_gradient: 1681 coefficients of order 41: must be in [1, 1600], of an order "
        "in [1, 40]"
    );
}

TEST_CASE("reach: plans refuse, or say what an order of one's own is for") {
    starfmm::Runtime runtime({}, starfmm::Execution::in_order);
    const auto points = starfmm::make_points<2>(starfmm::Distribution::uniform, 500, 0.1, 1);
    const auto make = [&](auto& kernel, const PlanOptions& options) {
        return Plan(runtime, kernel, points, options).info().reachable_tolerance;
    };
    auto& kernel = kernel_set<Harmonic<double, false>>();
    CHECK_THROWS_AS(
        (void)make(kernel, {.tolerance = 1e-12, .theta = 0.8, .levels = 2}), InputError
    );
    CHECK_THROWS_AS(
        (void)make(kernel_set<Harmonic<float, false>>(), {.tolerance = 1e-9}), InputError
    );
    const double asked = 1e-6;
    CHECK(make(kernel, {.tolerance = asked, .theta = 0.5, .levels = 2}) <= asked);
    CHECK(
        make(kernel, {.tolerance = asked, .order = 10, .theta = 0.5, .levels = 2}) ==
        doctest::Approx(16 * std::pow(0.5, 10))
    );
    CHECK(make(kernel, {.method = starfmm::Method::direct, .tolerance = 1e-12}) <= 1e-15);
}
