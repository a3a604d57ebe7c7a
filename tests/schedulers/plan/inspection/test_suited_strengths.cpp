// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels3d.hpp"
#include "schedulers/plan/inspection/suited_strengths.hpp"

#include <doctest/doctest.h>

using starfmm::InputError;
using starfmm::Method;
using starfmm::PlanOptions;
using starfmm::SpaceCancellation;
using starfmm::SuitedOptions;

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

TEST_CASE("suited_strengths: in single precision expansions are as precise as it allows") {
    const auto& kernel = starfmm::kernel_set<starfmm::Laplace<float>>().traits;
    const PlanOptions options{.method = Method::fmm, .tolerance = 1e-3};
    const auto of = [&](double excess, double n_pairs) {
        return suited_to_strengths(kernel, options, cancelling(excess, n_pairs));
    };
    CHECK(of(10, 1e8).plan.tolerance == doctest::Approx(1e-4));
    const SuitedOptions most = of(1e9, 1e13);
    CHECK(most.plan.method == Method::fmm);
    CHECK(most.plan.tolerance < 1e-5);
    CHECK(most.plan.tolerance > 1e-8);
}

TEST_CASE("suited_strengths: an order of the user's own, and direct sums, stay") {
    const PlanOptions with_order{.method = Method::fmm, .tolerance = 1e-6, .order = 5};
    CHECK(suited(with_order, cancelling(1e7, 1e13)).plan == with_order);
    const PlanOptions direct{.method = Method::direct, .tolerance = 1e-6};
    CHECK(suited(direct, cancelling(1e7, 1e13)).plan == direct);
    CHECK(suited(direct, cancelling(1e7)).why_direct.empty());
}
