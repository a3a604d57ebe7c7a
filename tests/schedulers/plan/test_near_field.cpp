// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/plan.hpp"
#include "tests/kernels/counting_pairs.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace {

using starfmm::Method;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::PointsRef;

template <int D>
Points<D> uniform_points(std::size_t n, std::uint64_t seed = 4) {
    return starfmm::make_points<D>(starfmm::Distribution::uniform, scene_size(n), 0.1, seed);
}

/// Makes `n` points in one box of any tree of height >= 1, except for one point that makes the
/// domain.
template <int D>
Points<D> crowded_points(std::size_t n) {
    Points<D> points = uniform_points<D>(n, 2);
    for (auto& coordinate : points.x) {
        for (double& x : coordinate) {
            x *= 1e-3;
        }
        coordinate.front() = 1;
    }
    return points;
}

/// Makes `n` points as close as neighbours in a high tree, about a corner of its boxes far from the
/// origin, between two points that make the domain.
template <int D>
Points<D> distant_points(std::size_t n) {
    Points<D> points = uniform_points<D>(n, 6);
    for (auto& coordinate : points.x) {
        for (double& x : coordinate) {
            x = 0.75 + 2e-3 * (x - 0.5);
        }
        coordinate.front() = 0;
        coordinate.back() = 1;
    }
    return points;
}

std::vector<std::size_t> all_of(std::size_t n) {
    std::vector<std::size_t> which(n);
    std::iota(which.begin(), which.end(), std::size_t(0));
    return which;
}

PlanOptions near_field(int height, int groups = 0) {
    return {.method = Method::near_field, .levels = height, .groups = groups};
}

/// Checks a sum over boxes that touch. A pair takes fewer than 64 roundings, and a sum one more for
/// each term; the logarithm's argument suffers some in an absolute sense.
template <class K>
void check_sum(
    starfmm::Runtime& runtime,
    const PointsRef& sources,
    const PointsRef& targets,
    const PlanOptions& options
) {
    using starfmm::StrengthSign;
    using starfmm::StrengthType;
    const std::size_t n = sources.size();
    const auto strengths = starfmm::make_strengths(n, StrengthSign::random, StrengthType::real, 3);
    const bool is_one_set = sources.x[0].data() == targets.x[0].data();
    starfmm::KernelSet& kernel = starfmm::kernel_set<K>();
    PlanOptions asked = options;
    asked.tolerance = 1e-5;
    starfmm::Plan plan = is_one_set ? starfmm::Plan(runtime, kernel, sources, asked)
                                    : starfmm::Plan(runtime, kernel, sources, targets, asked);
    const auto which = all_of(targets.size());
    const auto near = starfmm::near_pairs(sources, targets, options.levels);
    const auto exact =
        starfmm::direct_sum(kernel.traits.exact(0), sources, strengths, targets, which, near);
    const double u = std::is_same_v<typename K::Real, double> ? 0x1p-53 : 0x1p-24;
    for (int evaluation = 0; evaluation < 2; ++evaluation) { // the second on the same tree
        const auto values = plan.evaluate(strengths);
        for (std::size_t i = 0; i < which.size(); ++i) {
            const double bound =
                u * static_cast<double>(64 + n) * (static_cast<double>(exact.magnitude[i]) + 8);
            REQUIRE(std::abs(values.re[i] - static_cast<double>(exact.re[i])) <= bound);
            if (!values.im.empty()) {
                REQUIRE(std::abs(values.im[i] - static_cast<double>(exact.im[i])) <= bound);
            }
        }
        if (starfmm::has_gradient<K>) {
            const double error = starfmm::compare_gradient(values, exact, which).l2_rel;
            REQUIRE(error <= u * static_cast<double>(64 + n));
        }
    }
    CHECK(plan.info().method == Method::near_field);
}

template <class K>
void check_points(
    starfmm::Runtime& runtime,
    const Points<starfmm::dimension_of<K>>& points,
    int height,
    int groups
) {
    CAPTURE(height);
    CAPTURE(groups);
    CAPTURE(points.size());
    check_sum<K>(runtime, points, points, near_field(height, groups));
}

template <class K>
void check_kernel(starfmm::Runtime& runtime) {
    constexpr int D = starfmm::dimension_of<K>;
    for (const int groups : {0, D == 2 ? 16 : 5}) {
        for (const std::size_t n : {1, 2, 31, 700}) {
            for (const int height : {0, 1, 3}) { // most boxes are empty in the end
                check_points<K>(runtime, uniform_points<D>(n), height, groups);
            }
        }
        check_points<K>(runtime, crowded_points<D>(300), 3, groups);
        check_points<K>(runtime, distant_points<D>(200), D == 2 ? 9 : 6, groups);
    }
}

} // namespace

TEST_CASE("near_field: the pairs of boxes that touch, each once") {
    for (const int cpus : {1, 2}) {
        starfmm::Runtime runtime({cpus, 0, "", false});
        check_kernel<starfmm::Harmonic<double, false>>(runtime);
        check_kernel<starfmm::Log<float>>(runtime);
        check_kernel<starfmm::Laplace<double>>(runtime);
        check_kernel<starfmm::LaplaceGradient<float>>(runtime);
    }
}

TEST_CASE("near_field: the same bodies in order, without a runtime") {
    starfmm::Runtime runtime({}, starfmm::Execution::in_order);
    check_kernel<starfmm::Log<double>>(runtime);
}

TEST_CASE("near_field: mixed precision") {
    starfmm::Runtime runtime({1, 0, "", false});
    const Points<3> points = uniform_points<3>(900);
    PlanOptions options = near_field(2);
    options.tolerance = 1e-6;
    const auto strengths = starfmm::make_strengths(
        points.size(), starfmm::StrengthSign::positive, starfmm::StrengthType::real, 3
    );
    starfmm::KernelSet& kernel = starfmm::kernel_set<starfmm::MixedLaplaceGradient>();
    starfmm::Plan plan(runtime, kernel, points, options);
    const auto which = all_of(points.size());
    const auto near = starfmm::near_pairs(points, points, 2);
    const auto exact =
        starfmm::direct_sum(kernel.traits.exact(0), points, strengths, points, which, near);
    CHECK(starfmm::compare(plan.evaluate(strengths), exact, which).l2_rel <= 1e-6);
}

TEST_CASE("near_field: targets of their own, some of them far from all sources") {
    starfmm::Runtime runtime({2, 0, "", false});
    Points<2> targets = uniform_points<2>(500, 9);
    for (double& x : targets.x[0]) {
        x = 2 * x - 0.5;
    }
    for (const int groups : {1, 4, 16}) {
        using K = starfmm::Harmonic<double, false>;
        check_sum<K>(runtime, uniform_points<2>(400), targets, near_field(4, groups));
    }
    Points<3> in_space = uniform_points<3>(300, 9);
    for (double& x : in_space.x[1]) {
        x = 2 * x - 0.5;
    }
    for (const int groups : {1, 5}) {
        using K = starfmm::LaplaceGradient<double>;
        check_sum<K>(runtime, uniform_points<3>(200), in_space, near_field(3, groups));
    }
}

TEST_CASE("near_field: several right-hand sides, and complex ones") {
    starfmm::Runtime runtime({1, 0, "", false});
    const Points<2> points = uniform_points<2>(600);
    starfmm::KernelSet& kernel = starfmm::kernel_set<starfmm::Harmonic<double, true>>();
    starfmm::Plan plan(runtime, kernel, points, near_field(3));
    std::vector<starfmm::Strengths> columns;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        columns.push_back(starfmm::make_strengths(
            points.size(), starfmm::StrengthSign::random, starfmm::StrengthType::complex, seed
        ));
    }
    const auto which = all_of(points.size());
    const auto near = starfmm::near_pairs(points, points, 3);
    const auto all = plan.evaluate(columns);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto exact =
            starfmm::direct_sum(kernel.traits.exact(0), points, columns[c], points, which, near);
        CHECK(starfmm::compare(all[c], exact, which).l2_rel <= 1e-13);
    }
}

TEST_CASE("near_field: coincident points do not act on each other") {
    starfmm::Runtime runtime({1, 0, "", false});
    Points<3> points;
    for (auto& x : points.x) {
        x.assign(40, 0.25);
    }
    starfmm::Plan plan(
        runtime, starfmm::kernel_set<starfmm::Laplace<double>>(), points, near_field(2)
    );
    CHECK(plan.evaluate({std::vector<double>(40, 1.0), {}}).re == std::vector<double>(40));
}

TEST_CASE("near_field: the number of pairs, each from both its ends") {
    starfmm::Runtime runtime({1, 0, "", false});
    const auto points = starfmm::make_points<2>(starfmm::Distribution::lattice, 64, 0.1, 1);
    // 8 x 8 boxes of one point: 4 have 4, 24 have 6 and 36 have 9 boxes in their stencil
    for (const int groups : {1, 4, 16}) {
        starfmm::KernelSet& kernel = starfmm::kernel_set<starfmm::Harmonic<double, false>>();
        const starfmm::Plan plan(runtime, kernel, points, near_field(3, groups));
        CHECK(plan.info().work.p2p_pairs == 4 * 4 + 24 * 6 + 36 * 9);
        CHECK(plan.info().work.m2l_shifts == 0);
        CHECK(plan.info().leaves == 64);
        CHECK(plan.info().groups == groups);
    }
}

TEST_CASE("near_field: a kernel without expansions counts the points in reach") {
    starfmm::Runtime runtime({2, 0, "", false});
    const Points<3> points = uniform_points<3>(2000);
    const std::size_t n = points.size();
    const starfmm::Strengths ones{std::vector<double>(n, 1.0), {}};
    starfmm::KernelSet& kernel = starfmm::kernel_set<CountingPairs>();
    starfmm::Plan near(runtime, kernel, points, near_field(3, 3));
    const auto counts = near.evaluate(ones);
    const auto acts = starfmm::near_pairs(points, points, 3);
    for (std::size_t i = 0; i < n; ++i) {
        int n_near = -1; // the point itself does not count
        for (std::size_t j = 0; j < n; ++j) {
            n_near += acts(i, j) ? 1 : 0;
        }
        REQUIRE(counts.re[i] == n_near);
    }
    for (const Method method : {Method::direct, Method::automatic}) {
        starfmm::Plan all(runtime, kernel, points, {.method = method});
        CHECK(all.info().method == Method::direct);
        CHECK(all.evaluate(ones).re == std::vector<double>(n, static_cast<double>(n - 1)));
    }
    CHECK_THROWS_WITH_AS(
        starfmm::Plan(runtime, kernel, points, {.method = Method::fmm}),
        "method = fmm: kernel counting_pairs has no expansions: sum directly, or a near field",
        starfmm::InputError
    );
}

TEST_CASE("near_field: bad input") {
    starfmm::Runtime runtime({1, 0, "", false});
    starfmm::KernelSet& kernel = starfmm::kernel_set<starfmm::Harmonic<double, false>>();
    const Points<2> points = uniform_points<2>(10);
    const auto check = [&](const PlanOptions& options, const char* message) {
        CHECK_THROWS_WITH_AS(
            starfmm::Plan(runtime, kernel, points, options), message, starfmm::InputError
        );
    };
    check({.method = Method::near_field}, "levels = -1: a near field needs the height of its tree");
    check(near_field(16), "levels = 16: must be in [-1, 15]");
    PlanOptions options = near_field(2);
    options.tree = starfmm::TreeKind::pyramid;
    check(options, "tree = pyramid: a near field's boxes are those of an orthtree");
    options = near_field(2);
    options.leaf_size = 10;
    check(options, "leaf_size, roots: of adaptive trees; a near field has levels");
    options = {.method = Method::fmm, .tree = starfmm::TreeKind::orthtree};
    options.pairs = starfmm::PairScheme::both_ways;
    check(
        options,
        "pairs = both_ways: kernel harmonic: needs sources that are the targets, in leaves of one "
        "size"
    );
}
