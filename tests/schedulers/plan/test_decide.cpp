// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/plan/decide.hpp"
#include "schedulers/plan/plan.hpp"

#include <doctest/doctest.h>

#include <cstddef>

using starfmm::AnyPoints;
using starfmm::as_decided;
using starfmm::Distribution;
using starfmm::Execution;
using starfmm::kernel_set;
using starfmm::KernelSet;
using starfmm::Method;
using starfmm::Plan;
using starfmm::PlanInfo;
using starfmm::PlanOptions;
using starfmm::Potentials;
using starfmm::Runtime;
using starfmm::Strengths;
using starfmm::TreeKind;
using starfmm::Tuning;

namespace {

/// Plans of open options and of decided ones are the same, to the last bit of their results.
void check_same(
    KernelSet& kernel, const AnyPoints& points, const Strengths& strengths, PlanOptions options
) {
    Runtime runtime({}, Execution::in_order);
    options.tuning = Tuning::builtin;
    const std::size_t n = points.size();
    const PlanInfo decided = decide(runtime, kernel, options, {n, n, false});
    const PlanOptions closed = as_decided(options, decided);
    CHECK_FALSE(is_automatic(closed));
    Plan open_plan(runtime, kernel, points, options);
    Plan closed_plan(runtime, kernel, points, closed);
    const Potentials open_sums = open_plan.evaluate(strengths);
    const Potentials closed_sums = closed_plan.evaluate(strengths);
    CHECK(closed_plan.info().method == decided.method);
    CHECK(closed_plan.info().order == open_plan.info().order);
    CHECK(closed_plan.info().theta == open_plan.info().theta);
    CHECK(closed_plan.info().leaves == open_plan.info().leaves);
    CHECK(closed_sums.re == open_sums.re);
    CHECK(closed_sums.gradient == open_sums.gradient);
}

} // namespace

TEST_CASE("decide: what was decided makes the same plan, whatever the tree") {
    const std::size_t n = 9000;
    const auto strengths =
        starfmm::make_strengths(n, starfmm::StrengthSign::random, starfmm::StrengthType::real, 7);
    const AnyPoints space = starfmm::make_points<3>(Distribution::plummer, n, 0.1, 5);
    const AnyPoints plane = starfmm::make_points<2>(Distribution::normal, n, 0.1, 5);
    for (const TreeKind tree : {TreeKind::pyramid, TreeKind::orthtree}) {
        CAPTURE(static_cast<int>(tree));
        PlanOptions options;
        options.tree = tree;
        options.method = Method::fmm;
        options.tolerance = 1e-5;
        check_same(kernel_set<starfmm::LogGradient<double>>(), plane, strengths, options);
        if (tree == TreeKind::orthtree) {
            check_same(kernel_set<starfmm::LaplaceGradient<double>>(), space, strengths, options);
        }
    }
}

TEST_CASE("decide: few points are left to direct sums, which need nothing else") {
    Runtime runtime({}, Execution::in_order);
    auto& kernel = kernel_set<starfmm::LaplaceGradient<double>>();
    PlanOptions options;
    options.tree = TreeKind::orthtree;
    options.tuning = Tuning::builtin;
    const PlanInfo few = decide(runtime, kernel, options, {50, 50, false});
    CHECK(few.method == Method::direct);
    CHECK(few.predicted_direct_s < few.predicted_fmm_s);
    CHECK(as_decided(options, few).method == Method::direct);
    const PlanInfo many = decide(runtime, kernel, options, {1'000'000, 1'000'000, false});
    CHECK(many.method == Method::fmm);
    CHECK(many.predicted_fmm_s < many.predicted_direct_s);
}

TEST_CASE("decide: without a word on the tree a plan in space has an octree") {
    Runtime runtime({}, Execution::in_order);
    const auto points = starfmm::make_points<3>(Distribution::uniform, 3000, 0.1, 1);
    const auto tree_of = [&](const PlanOptions& options) {
        return Plan(runtime, kernel_set<starfmm::Laplace<double>>(), points, options).info().tree;
    };
    CHECK(tree_of({.method = Method::fmm}) == TreeKind::orthtree);
    CHECK(tree_of({.method = Method::fmm, .leaf_size = 40}) == TreeKind::orthtree);
}

TEST_CASE("decide: the same question has the answer that it had last") {
    Runtime runtime({}, Execution::in_order);
    auto& kernel = kernel_set<starfmm::Harmonic<double, false>>();
    const PlanOptions options;
    const starfmm::ProblemSize size{100'000, 100'000, false};
    const PlanInfo first = decide(runtime, kernel, options, size);
    REQUIRE(runtime.last_choice());
    const double remembered = first.theta + 0.01;
    const auto answer = [&](KernelSet& of, const PlanOptions& asked, std::size_t n) {
        REQUIRE(decide(runtime, kernel, options, size).theta == first.theta);
        runtime.last_choice()->choice.theta = remembered;
        const double theta = decide(runtime, of, asked, {n, size.n_targets, false}).theta;
        runtime.last_choice().reset();
        return theta;
    };
    CHECK(answer(kernel, options, size.n_sources) == remembered);
    CHECK(answer(kernel, options, size.n_sources + 1) != remembered);
    CHECK(answer(kernel_set<starfmm::Log<double>>(), options, size.n_sources) != remembered);
    PlanOptions others = options;
    others.tolerance = 1e-7;
    CHECK(answer(kernel, others, size.n_sources) != remembered);
}

TEST_CASE("decide: a tolerance beyond the precision is refused") {
    Runtime runtime({}, Execution::in_order);
    PlanOptions options;
    options.tolerance = 1e-7;
    auto& kernel = kernel_set<starfmm::LaplaceGradient<float>>();
    CHECK_THROWS_AS(
        static_cast<void>(decide(runtime, kernel, options, {10, 10, false})), starfmm::InputError
    );
}

TEST_CASE("decide: a softening length is refused by kernels that have none") {
    Runtime runtime({}, Execution::in_order);
    PlanOptions options;
    options.epsilon = 0.5;
    auto& kernel = kernel_set<starfmm::LaplaceGradient<double>>();
    CHECK_THROWS_WITH_AS(
        static_cast<void>(decide(runtime, kernel, options, {10, 10, false})),
        "epsilon = 0.5: must be 0: kernel laplace_gradient is not softened",
        starfmm::InputError
    );
}

TEST_CASE("decide: plane waves are refused where no GPU sums") {
    Runtime runtime({}, Execution::in_order);
    PlanOptions options;
    options.plane_waves = starfmm::PlaneWaves::always;
    auto& kernel = kernel_set<starfmm::Laplace<double>>();
    CHECK_THROWS_WITH_AS(
        decide(runtime, kernel, options, {9000, 9000, false}),
        "plane_waves: are of GPUs, none of which sums: leave them out",
        starfmm::InputError
    );
}
