// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/distributions.hpp"
#include "schedulers/plan/plan.hpp"
#include "tests/kernels/counting.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>

using starfmm::Distribution;
using starfmm::Execution;
using starfmm::kernel_set;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Runtime;
using starfmm::Strengths;

namespace {

Points<2> points(Distribution distribution, std::size_t n, std::uint64_t seed) {
    return starfmm::make_points<2>(distribution, n, 0.1, seed);
}

/// Makes strengths 1, 2, 3, ..., so that no missed source makes up for a doubled one.
Strengths numbered(std::size_t n) {
    Strengths strengths;
    for (std::size_t i = 1; i <= n; ++i) {
        strengths.re.push_back(static_cast<double>(i));
    }
    return strengths;
}

/// Checks that sums are N (N + 1) / 2 everywhere: sums of whole numbers below 2^53 are exact.
void check_counts(Plan& plan, std::size_t n, std::size_t m) {
    const Potentials ones = plan.evaluate({std::vector<double>(n, 1), {}});
    const Potentials numbers = plan.evaluate(numbered(n));
    REQUIRE(ones.size() == m);
    const auto count = static_cast<double>(n);
    CHECK(std::count(ones.re.begin(), ones.re.end(), count) == static_cast<std::ptrdiff_t>(m));
    CHECK(
        std::count(numbers.re.begin(), numbers.re.end(), count * (count + 1) / 2) ==
        static_cast<std::ptrdiff_t>(m)
    );
}

void check_one_set(Runtime& runtime, const Points<2>& sources, const PlanOptions& options) {
    Plan plan(runtime, kernel_set<Counting>(), sources, options);
    check_counts(plan, sources.size(), sources.size());
}

void check_two_sets(
    Runtime& runtime, const Points<2>& sources, const Points<2>& targets, const PlanOptions& options
) {
    Plan plan(runtime, kernel_set<Counting>(), sources, targets, options);
    check_counts(plan, sources.size(), targets.size());
}

PlanOptions options(int groups, double leaf_size = 5) {
    PlanOptions options;
    options.groups = groups;
    options.leaf_size = leaf_size;
    return options;
}

} // namespace

TEST_CASE("task_graph: every pair counts once, for all distributions and groups") {
    Runtime runtime({}, Execution::in_order);
    TakesTurns taken;
    for (const Distribution distribution : starfmm::all_distributions) {
        for (const int groups : {1, 4, 16, 64}) {
            if (!taken()) {
                continue;
            }
            CAPTURE(static_cast<int>(distribution));
            CAPTURE(groups);
            const auto sources = points(distribution, 3001, 1);
            check_one_set(runtime, sources, options(groups));
            check_two_sets(runtime, sources, points(distribution, 1009, 2), options(groups));
            check_two_sets(
                runtime, sources, points(Distribution::uniform, 5003, 3), options(groups)
            );
        }
    }
}

TEST_CASE("task_graph: every pair counts once for few points and any number of levels") {
    Runtime runtime({}, Execution::in_order);
    for (const std::size_t n : {1, 2, 3, 4, 5, 16, 17, 31, 64, 100}) {
        for (const int groups : {1, 4, 16}) {
            check_one_set(runtime, points(Distribution::uniform, n, 1), options(groups, 1));
            for (const std::size_t m : {1, 7, 200}) {
                check_two_sets(
                    runtime,
                    points(Distribution::normal, n, 1),
                    points(Distribution::uniform, m, 2),
                    options(groups, 1)
                );
            }
        }
    }
}

TEST_CASE("task_graph: every pair counts once on a quadtree") {
    Runtime runtime({}, Execution::in_order);
    PlanOptions options;
    options.tree = starfmm::TreeKind::orthtree;
    TakesTurns taken;
    for (const Distribution distribution : starfmm::all_distributions) {
        for (const int groups : {1, 4, 16, 64}) {
            for (const double leaf_size : {1, 6, 50}) {
                if (!taken()) {
                    continue;
                }
                CAPTURE(static_cast<int>(distribution));
                CAPTURE(leaf_size);
                CAPTURE(groups);
                options.leaf_size = leaf_size;
                options.groups = groups;
                const auto sources = points(distribution, 3001, 1);
                check_one_set(runtime, sources, options);
                check_two_sets(runtime, sources, points(distribution, 1009, 2), options);
                check_two_sets(runtime, sources, points(Distribution::uniform, 5003, 3), options);
                check_two_sets(runtime, points(distribution, 3, 1), sources, options);
            }
        }
    }
    options.groups = 0;
    // leaves of few points beside dense ones
    auto sources = points(Distribution::plummer, 20000, 1);
    options.leaf_size = 30;
    options.order = 64;
    Plan plan(runtime, kernel_set<Counting>(), sources, options);
    CHECK(plan.info().work.p2l_pairs > 0);
    CHECK(plan.info().work.m2p_pairs > 0);
    CHECK(plan.info().work.m2l_shifts > 0);
    CHECK(plan.info().leaves > 20000 / 30);
    check_counts(plan, 20000, 20000);
}

TEST_CASE("task_graph: every pair counts once where P2L and M2P replace pairs") {
    Runtime runtime({}, Execution::in_order);
    // large leaves beside small ones: one term is cheaper than the pairs of such leaves
    auto sources = points(Distribution::normal, 20000, 1);
    for (std::size_t i = 0; i < 10000; ++i) {
        sources.x[0][i] = 0.5 + 1e-3 * (sources.x[0][i] - 0.5);
    }
    for (const int groups : {1, 16}) {
        Plan plan(runtime, kernel_set<Counting>(), sources, options(groups, 40));
        CHECK(plan.info().work.p2l_pairs > 0);
        CHECK(plan.info().work.m2p_pairs > 0);
        CHECK(plan.info().work.m2l_shifts > 0);
        check_counts(plan, 20000, 20000);
    }
}

TEST_CASE("task_graph: every pair counts once with coincident points and points on a line") {
    Runtime runtime({}, Execution::in_order);
    for (const int groups : {1, 4, 16}) {
        auto twice = points(Distribution::uniform, 1000, 1);
        for (auto& x : twice.x) {
            const auto copy = x;
            x.insert(x.end(), copy.begin(), copy.end());
        }
        check_one_set(runtime, twice, options(groups));
        auto line = points(Distribution::uniform, 1000, 1);
        line.x[1].assign(1000, 0.25);
        check_one_set(runtime, line, options(groups));
        check_two_sets(runtime, line, twice, options(groups));
        const Points<2> same{{std::vector<double>(999, 3), std::vector<double>(999, 4)}};
        check_one_set(runtime, same, options(groups));
        check_two_sets(runtime, same, line, options(groups));
        check_two_sets(runtime, line, same, options(groups));
    }
}

TEST_CASE("task_graph: every pair counts once on StarPU's workers") {
    Runtime runtime({.cpus = -1, .gpus = 0, .scheduler = "", .profile = false});
    for (const int groups : {1, 4, 16}) {
        const auto sources = points(Distribution::plummer, 20011, 1);
        check_one_set(runtime, sources, options(groups, 20));
        check_two_sets(runtime, sources, points(Distribution::layer, 3001, 2), options(groups, 20));
    }
}

TEST_CASE("task_graph: the number of tasks is that of operators and groups") {
    Runtime runtime({}, Execution::in_order);
    const auto sources = points(Distribution::uniform, 3001, 1);
    Plan plan(runtime, kernel_set<Counting>(), sources, options(4));
    const std::size_t before = runtime.n_tasks();
    (void)plan.evaluate(numbered(3001));
    // 8 operators a group and 3 of the top; P2L and M2P where there is anything
    CHECK(runtime.n_tasks() - before >= 4 * 8 + 3);
    CHECK(runtime.n_tasks() - before <= 4 * 10 + 3);
    CHECK(plan.info().groups == 4);
}
