// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/plan.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/shapes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>

using starfmm::compare;
using starfmm::direct_sum;
using starfmm::Execution;
using starfmm::kernel_set;
using starfmm::Log;
using starfmm::LogGradient;
using starfmm::Method;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Runtime;
using starfmm::Strengths;

namespace {

struct Problem {
    Points<2> sources;
    Points<2> targets; ///< empty: the sources
    Strengths q;

    [[nodiscard]] const Points<2>& where() const { return targets.size() > 0 ? targets : sources; }
};

Problem make_problem(const std::string& shape, std::size_t n, std::size_t m) {
    return {
        make_shape(shape, n, 1),
        m > 0 ? make_shape(shape, m, 2) : Points<2>{},
        starfmm::make_strengths(n, starfmm::StrengthSign::random, starfmm::StrengthType::real, 1)};
}

template <class K>
Potentials evaluate(Runtime& runtime, const Problem& problem, const PlanOptions& options) {
    const auto& [sources, targets, q] = problem;
    if (targets.size() > 0) {
        return Plan(runtime, kernel_set<K>(), sources, targets, options).evaluate(q);
    }
    return Plan(runtime, kernel_set<K>(), sources, options).evaluate(q);
}

/// Potentials and gradients at all targets, of small scenes at some.
struct Exact {
    std::vector<std::size_t> which;
    starfmm::DirectSum sum;
};

Exact exact_of(const Problem& problem) {
    const std::size_t n = problem.where().size();
    const auto which = starfmm::random_targets(n, scene_size(n), 3);
    const auto kernel = starfmm::exact_kernel<LogGradient<double>>();
    return {which, direct_sum(kernel, problem.sources, problem.q, problem.where(), which)};
}

/// Checks that potentials are those of Log, to within roundings, and that gradients meet the
/// tolerance.
template <class R>
void check(
    Runtime& runtime, const Problem& problem, const Exact& exact, const PlanOptions& options
) {
    const auto result = evaluate<LogGradient<R>>(runtime, problem, options);
    REQUIRE(result.gradient[0].size() == problem.where().size());
    REQUIRE(result.gradient[1].size() == problem.where().size());
    CHECK(result.im.empty());
    CHECK(compare(result, exact.sum, exact.which).l2_rel <= options.tolerance);
    CHECK(compare_gradient(result, exact.sum, exact.which).l2_rel <= options.tolerance);
}

template <class R>
void check(Runtime& runtime, const Problem& problem, const PlanOptions& options) {
    check<R>(runtime, problem, exact_of(problem), options);
}

} // namespace

TEST_CASE("gradient: potentials and gradients meet the tolerance on every shape") {
    Runtime runtime({}, Execution::in_order);
    TakesTurns taken;
    for (const std::string& shape : shape_names) {
        for (const std::size_t m : {0, 700}) {
            if (!taken()) {
                continue;
            }
            const Problem problem = make_problem(shape, 3000, m);
            const Exact exact = exact_of(problem);
            for (const double tolerance : {1e-3, 1e-6, 1e-11}) {
                CAPTURE(shape);
                CAPTURE(m);
                CAPTURE(tolerance);
                check<double>(
                    runtime,
                    problem,
                    exact,
                    {.method = Method::fmm, .tolerance = tolerance, .levels = 3, .groups = 16}
                );
            }
        }
    }
}

TEST_CASE("gradient: a few points, by either method") {
    Runtime runtime({}, Execution::in_order);
    for (const Method method : {Method::fmm, Method::direct}) {
        for (const std::size_t n : {1, 2, 3, 31}) {
            CAPTURE(n);
            check<double>(
                runtime, make_problem("normal", n, n + 2), {.method = method, .tolerance = 1e-9}
            );
        }
        const Problem one = make_problem("normal", 1, 0);
        const auto alone = evaluate<LogGradient<double>>(runtime, one, {.method = method});
        CHECK(alone.gradient[0][0] == 0);
        CHECK(alone.gradient[1][0] == 0);
    }
}

TEST_CASE("gradient: potentials are those without gradients") {
    Runtime runtime({}, Execution::in_order);
    const PlanOptions options{.method = Method::fmm, .tolerance = 1e-6, .levels = 4};
    const Problem problem = make_problem("layer", 5000, 0);
    const auto with = evaluate<LogGradient<double>>(runtime, problem, options);
    const auto without = evaluate<Log<double>>(runtime, problem, options);
    CHECK(without.gradient[0].empty());
    double difference = 0;
    double largest = 0;
    for (std::size_t i = 0; i < with.size(); ++i) {
        difference = std::max(difference, std::abs(with.re[i] - without.re[i]));
        largest = std::max(largest, std::abs(without.re[i]));
    }
    CHECK(difference <= 1e-13 * largest); // the same terms, in another order
}

TEST_CASE("gradient: in single precision, and as tasks of several groups") {
    starfmm::RuntimeOptions workers;
    workers.cpus = 2;
    workers.gpus = 0;
    Runtime runtime(workers);
    const Problem problem = make_problem("normal", 4000, 0);
    check<float>(runtime, problem, {.method = Method::fmm, .tolerance = 1e-4, .levels = 3});
    check<double>(
        runtime, problem, {.method = Method::fmm, .tolerance = 1e-6, .levels = 4, .groups = 16}
    );
    check<double>(
        runtime,
        problem,
        {.method = Method::fmm, .tolerance = 1e-6, .levels = 4, .groups = 4, .chunks = 3}
    );
}

TEST_CASE("gradient: points of extreme extent") {
    Runtime runtime({}, Execution::in_order);
    const Problem unit = make_problem("uniform", 1000, 0);
    const PlanOptions options{.method = Method::fmm, .tolerance = 1e-6, .levels = 2};
    const auto expected = evaluate<LogGradient<double>>(runtime, unit, options);
    for (const int exponent : {-460, 460}) {
        CAPTURE(exponent);
        Problem scaled = unit;
        for (auto& x : scaled.sources.x) {
            x = starfmm::scaled(x, exponent);
        }
        const auto result = evaluate<LogGradient<double>>(runtime, scaled, options);
        for (std::size_t i = 0; i < result.size(); ++i) {
            const double gradient = std::ldexp(result.gradient[0][i], exponent);
            REQUIRE(gradient == doctest::Approx(expected.gradient[0][i]).epsilon(1e-10));
        }
    }
}

TEST_CASE("gradient: complex strengths are refused") {
    Runtime runtime({}, Execution::in_order);
    Problem problem = make_problem("uniform", 10, 0);
    problem.q.im.resize(10, 1.0);
    CHECK_THROWS_WITH_AS(
        (void)evaluate<LogGradient<double>>(runtime, problem, {}),
        "kernel log_gradient: takes real strengths: sum real and imaginary parts one after the "
        "other",
        starfmm::InputError
    );
}
