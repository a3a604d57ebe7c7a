// SPDX-License-Identifier: BSD-3-Clause
// Tests of whole runs in space. A constant kernel must count every source once, whatever tree,
// groups and lists a run takes; a polynomial kernel, whose expansions are exact, must give the sums
// of its pairs.
#include "core/error.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/kernels/counting.hpp"
#include "tests/kernels/square_distance.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/shapes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using starfmm::Execution;
using starfmm::kernel_set;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Runtime;
using starfmm::RuntimeOptions;
using starfmm::Strengths;

namespace {

Strengths ones(std::size_t n) {
    return {std::vector<double>(n, 1), {}};
}

/// Checks that sums are N everywhere, the target itself included: whole numbers below 2^53 are
/// summed exactly.
void check_counts(Plan& plan, std::size_t n, std::size_t m) {
    const Potentials counts = plan.evaluate(ones(n));
    REQUIRE(counts.size() == m);
    const auto n_right = std::ranges::count(counts.re, static_cast<double>(n));
    CHECK(n_right == static_cast<std::ptrdiff_t>(m));
}

PlanOptions octree(int groups, double leaf_size, double theta = 0.5) {
    PlanOptions options;
    options.groups = groups;
    options.leaf_size = leaf_size;
    options.theta = theta;
    options.order = 1;
    return options;
}

/// Checks one set, and two sets of different sizes.
void check_shape(Runtime& runtime, const std::string& shape, const PlanOptions& options) {
    const auto sources = make_shape<3>(shape, 2003, 1);
    Plan one(runtime, kernel_set<Counting3>(), sources, options);
    check_counts(one, 2003, 2003);
    const auto targets = make_shape<3>("normal", 501, 2);
    Plan two(runtime, kernel_set<Counting3>(), sources, targets, options);
    check_counts(two, 2003, 501);
}

/// Returns sum_j q_j |x_j - y|^2.
double exact_sum(const Points<3>& points, const Strengths& q, std::size_t i) {
    long double sum = 0;
    for (std::size_t j = 0; j < points.size(); ++j) {
        long double square = 0;
        for (const auto& x : points.x) {
            square +=
                (static_cast<long double>(x[j]) - x[i]) * (static_cast<long double>(x[j]) - x[i]);
        }
        sum += square * q.re[j];
    }
    return static_cast<double>(sum);
}

} // namespace

TEST_CASE("space_sums: every pair counts once, for all distributions") {
    Runtime runtime({}, Execution::in_order);
    for (const std::string& shape : shape_names) {
        for (const int groups : {1, 8, 64}) {
            CAPTURE(shape);
            CAPTURE(groups);
            check_shape(runtime, shape, octree(groups, 6));
        }
    }
}

TEST_CASE("space_sums: every pair counts once for any separation and leaf") {
    Runtime runtime({}, Execution::in_order);
    for (const double theta : {0.3, 0.5, 0.7, 0.9}) {
        for (const double leaf_size : {1, 20, 300, 5000}) {
            CAPTURE(theta);
            CAPTURE(leaf_size);
            check_shape(runtime, "plummer", octree(8, leaf_size, theta));
        }
    }
}

TEST_CASE("space_sums: every pair counts once for few points") {
    Runtime runtime({}, Execution::in_order);
    for (const std::size_t n : {1, 2, 7, 8, 9, 63, 64, 65}) {
        for (const std::size_t m : {1, 10, 200}) {
            const auto sources = make_shape<3>("uniform", n, 1);
            Plan one(runtime, kernel_set<Counting3>(), sources, octree(8, 1));
            check_counts(one, n, n);
            const auto targets = make_shape<3>("normal", m, 2);
            Plan two(runtime, kernel_set<Counting3>(), sources, targets, octree(8, 1));
            check_counts(two, n, m);
        }
    }
}

TEST_CASE("space_sums: exact expansions give the sums of pairs") {
    Runtime runtime({}, Execution::in_order);
    for (const std::string& shape : shape_names) {
        CAPTURE(shape);
        const auto points = make_shape<3>(shape, 3000, 3);
        const Strengths q = ones(points.size());
        PlanOptions chosen = octree(8, 10);
        chosen.order = 2;
        Plan plan(runtime, kernel_set<SquareDistance<double>>(), points, chosen);
        const Potentials sums = plan.evaluate(q);
        for (const std::size_t i : {0, 1, 1234, 2999}) {
            const double exact = exact_sum(points, q, i);
            CHECK(std::abs(sums.re[i] - exact) <= 1e-12 * exact);
        }
        CHECK((shape == "clusters" || plan.info().work.m2l_shifts > 0));
    }
}

TEST_CASE("space_sums: rebuilding, several right-hand sides and direct sums") {
    Runtime runtime({}, Execution::in_order);
    const auto points = make_shape<3>("layer", 1500, 4);
    Plan plan(runtime, kernel_set<Counting3>(), points, octree(1, 20));
    plan.rebuild(make_shape<3>("circle", 1200, 5));
    const std::vector<Strengths> columns{ones(1200), {std::vector<double>(1200, 2), {}}};
    const std::vector<Potentials> counts = plan.evaluate(columns);
    CHECK(std::ranges::count(counts[0].re, 1200.0) == 1200);
    CHECK(std::ranges::count(counts[1].re, 2400.0) == 1200);
    PlanOptions direct;
    direct.method = starfmm::Method::direct;
    Plan pairs(runtime, kernel_set<Counting3>(), points, direct);
    check_counts(pairs, 1500, 1500);
}

TEST_CASE("space_sums: every pair counts once where chunks of the sources are split") {
    Runtime runtime({}, Execution::in_order);
    for (const std::string& shape : shape_names) {
        for (const int groups : {1, 8, 64}) {
            CAPTURE(shape);
            CAPTURE(groups);
            PlanOptions chosen = octree(groups, 10);
            chosen.chunks = 3;
            Plan plan(runtime, kernel_set<Counting3>(), make_shape<3>(shape, 2003, 1), chosen);
            CHECK(plan.info().chunks == (groups == 1 ? 1 : 3));
            check_counts(plan, 2003, 2003);
        }
    }
}

TEST_CASE("space_sums: every pair counts once on StarPU's workers") {
    std::vector<RuntimeOptions> workers(1);
    workers[0].gpus = 0;
    const int gpus = std::min(2, starfmm::available_gpus());
    if (gpus > 0) {
        workers.resize(4);
        workers[1].cpus = 0;
        workers[1].gpus = gpus;
        workers[2].cpus = 2;
        workers[2].gpus = 1;
        workers[3].cpus = 0;
        workers[3].gpus = 1;
    }
    PlanOptions in_chunks = octree(64, 3);
    in_chunks.chunks = 5;
    TakesTurns taken;
    for (const RuntimeOptions& each : workers) {
        Runtime runtime(each);
        for (const std::string& shape : shape_names) {
            for (const PlanOptions& options :
                 {octree(0, 20), octree(1, 3), octree(8, 20), octree(64, 3), in_chunks}) {
                if (!taken()) {
                    continue;
                }
                CAPTURE(shape);
                CAPTURE(each.gpus);
                CAPTURE(options.groups);
                CAPTURE(options.chunks);
                check_shape(runtime, shape, options);
            }
        }
    }
}

TEST_CASE("space_sums: what does not fit the dimension is refused") {
    Runtime runtime({}, Execution::in_order);
    const auto plane = make_shape<2>("uniform", 100, 1);
    const auto space = make_shape<3>("uniform", 100, 1);
    const auto plan = [&](starfmm::KernelSet& kernel, const auto& points, const PlanOptions& how) {
        return Plan(runtime, kernel, points, how).info().groups;
    };
    const PlanOptions usual = octree(1, 10);
    CHECK_THROWS_AS(plan(kernel_set<Counting3>(), plane, usual), starfmm::InputError);
    CHECK_THROWS_AS(plan(kernel_set<Counting>(), space, usual), starfmm::InputError);
    PlanOptions pyramid;
    pyramid.tree = starfmm::TreeKind::pyramid;
    CHECK_THROWS_AS(plan(kernel_set<Counting3>(), space, pyramid), starfmm::InputError);
    PlanOptions deep;
    deep.levels = 3;
    CHECK_THROWS_AS(plan(kernel_set<Counting3>(), space, deep), starfmm::InputError);
}
