// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels3d.hpp"
#include "schedulers/plan/inspection/suited_strengths.hpp"

#include <doctest/doctest.h>

using starfmm::InputError;
using starfmm::Method;
using starfmm::PlanOptions;
using starfmm::Precision;
using starfmm::SpaceCancellation;
using starfmm::SuitedOptions;
using enum starfmm::Precision;

namespace {

/// Terms that are `excess` times their sums.
SpaceCancellation cancelling(double excess, double n_pairs = 1e8) {
    SpaceCancellation cancellation;
    cancellation.n_pairs = n_pairs;
    cancellation.potential.terms = excess;
    return cancellation;
}

SuitedOptions suited(const PlanOptions& options, const SpaceCancellation& cancellation) {
    const auto& kernel = starfmm::kernel_set<starfmm::Laplace<double>>().traits;
    return suited_to_strengths(kernel, options, cancellation);
}

} // namespace

TEST_CASE("suited_strengths: the further terms cancel, the smaller the plan's tolerance") {
    const PlanOptions options{.method = Method::fmm, .tolerance = 1e-6};
    CHECK(suited(options, cancelling(1)).plan == options);
    CHECK(suited(options, cancelling(100)).plan.tolerance == doctest::Approx(1e-8));
    CHECK(suited(options, cancelling(100)).plan.method == Method::fmm);
    CHECK(suited(options, cancelling(100)).why_direct.empty());
}

TEST_CASE("suited_strengths: where no order serves, all pairs are summed") {
    for (const Method method : {Method::fmm, Method::automatic}) {
        const PlanOptions options{.method = method, .tolerance = 1e-6};
        const SuitedOptions direct = suited(options, cancelling(1e7));
        CHECK(direct.plan.method == Method::direct);
        CHECK(direct.why_direct == "terms are 1e+07 times the sums, for which no order serves");
        CHECK_THROWS_WITH_AS(
            static_cast<void>(suited(options, cancelling(1e7, 1e13))),
            "tolerance = 1e-06: the terms of the sums are 1e+07 times the sums, for which no order "
            "serves, and pairs are too many to sum them all: use 1e-05 or more, or an order of "
            "your "
            "own",
            InputError
        );
    }
}

TEST_CASE("suited_precision: the one asked for, where its roundings are within the tolerance") {
    const auto precision_for = [](Precision asked, double runs, double tolerance, double n_pairs) {
        SpaceCancellation found = cancelling(1, n_pairs);
        found.potential.runs = runs;
        return starfmm::suited_precision(asked, found, tolerance);
    };
    constexpr double many = 1e8;
    constexpr double few = 1e4;
    CHECK(precision_for(Precision::automatic, 1, 1e-6, many).precision == mixed_precision);
    CHECK(precision_for(Precision::automatic, 1, 1e-6, few).precision == double_precision);
    CHECK(precision_for(Precision::automatic, 3, 1e-6, many).precision == double_precision);
    CHECK(precision_for(mixed_precision, 1.9, 1e-6, many).precision == mixed_precision);
    CHECK(precision_for(mixed_precision, 2.1, 1e-6, many).precision == double_precision);
    CHECK(precision_for(mixed_precision, 2, 1e-5, few).precision == mixed_precision);
    CHECK(precision_for(mixed_precision, 3, 1e-5, few).precision == double_precision);
    CHECK(precision_for(double_precision, 1e9, 1e-12, many).precision == double_precision);
    CHECK(precision_for(single_precision, 1, 1e-5, many).precision == single_precision);
    CHECK(precision_for(single_precision, 1, 4e-5, few).precision == single_precision);
    CHECK(precision_for(single_precision, 1, 3e-5, few).precision == mixed_precision);
    CHECK(precision_for(single_precision, 1, 1e-9, few).precision == single_precision); // refused
    CHECK(precision_for(single_precision, 9, 1e-4, many).precision == single_precision);
    CHECK(precision_for(single_precision, 12, 1e-4, many).precision == mixed_precision);
    CHECK(precision_for(single_precision, 1e4, 1e-4, many).precision == double_precision);
}

TEST_CASE("suited_precision: says why it is finer than the one asked for") {
    SpaceCancellation found = cancelling(1);
    found.gradient.runs = 1e4;
    const auto why = [&](Precision asked) {
        return starfmm::suited_precision(asked, found, 1e-5).why;
    };
    CHECK(why(mixed_precision) == "mixed precision may leave 0.00027 of these sums");
    CHECK(why(single_precision) == "single precision may leave 0.0095 of these sums");
    CHECK(why(Precision::automatic).empty());
    CHECK(why(double_precision).empty());
    found = cancelling(1);
    found.offset = 15;
    CHECK(why(single_precision).empty());
    found.offset = 170;
    CHECK(
        why(single_precision) ==
        "points lie 1.7e+02 times their extent from zero, too far for single precision"
    );
    CHECK(why(mixed_precision).empty());
}

TEST_CASE("suited_strengths: an order of the user's own, and direct sums, stay") {
    const PlanOptions with_order{.method = Method::fmm, .tolerance = 1e-6, .order = 5};
    CHECK(suited(with_order, cancelling(1e7, 1e13)).plan == with_order);
    const PlanOptions direct{.method = Method::direct, .tolerance = 1e-6};
    CHECK(suited(direct, cancelling(1e7, 1e13)).plan == direct);
    CHECK(suited(direct, cancelling(1e7)).why_direct.empty());
}
