// SPDX-License-Identifier: BSD-3-Clause
// Tests of plans where groups, places or scales are at their limits, against sums in extended
// precision.
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/plan/user_arrays.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

using starfmm::Harmonic;
using starfmm::kernel_set;
using starfmm::Log;
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
    Strengths strengths;
};

/// Largest error at some targets, relative to the sum of the magnitudes of the terms.
template <class K>
double largest_error(const Problem& problem, const Potentials& potentials) {
    const Points<2>& targets = problem.targets.size() > 0 ? problem.targets : problem.sources;
    const auto which = starfmm::random_targets(targets.size(), scene_size(300), 7);
    const auto kernel = starfmm::exact_kernel<K>();
    const auto exact =
        starfmm::direct_sum(kernel, problem.sources, problem.strengths, targets, which);
    long double largest = 0;
    for (std::size_t i = 0; i < which.size(); ++i) {
        const bool is_complex = !potentials.im.empty();
        const long double im = is_complex ? potentials.im[which[i]] - exact.im[i] : 0;
        const long double error = std::hypot(potentials.re[which[i]] - exact.re[i], im);
        const bool is_right = error <= 1 * exact.magnitude[i]; // false for NaN
        largest = std::max(largest, is_right ? error / exact.magnitude[i] : INFINITY);
    }
    return static_cast<double>(largest);
}

template <class K>
double
error_of(const Problem& problem, const PlanOptions& options, starfmm::PlanInfo* info = nullptr) {
    Runtime runtime({}, starfmm::Execution::in_order);
    const bool one_set = problem.targets.size() == 0;
    Plan plan = one_set ? Plan(runtime, kernel_set<K>(), problem.sources, options)
                        : Plan(runtime, kernel_set<K>(), problem.sources, problem.targets, options);
    const Potentials potentials = plan.evaluate(problem.strengths);
    if (info != nullptr) {
        *info = plan.info();
    }
    return largest_error<K>(problem, potentials);
}

Strengths strengths(std::size_t n) {
    return starfmm::make_strengths(
        n, starfmm::StrengthSign::random, starfmm::StrengthType::real, 2
    );
}

Points<2> uniform(std::size_t n, std::uint64_t seed) {
    return starfmm::make_points<2>(starfmm::Distribution::uniform, n, 0.1, seed);
}

Points<2> scaled(Points<2> points, double scale) {
    for (auto& x : points.x) {
        for (double& value : x) {
            value *= scale;
        }
    }
    return points;
}

Strengths scaled(Strengths strengths, double scale) {
    for (double& q : strengths.re) {
        q *= scale;
    }
    return strengths;
}

template <class K>
constexpr bool is_single = sizeof(typename K::Real) == sizeof(float);

/// Checks sums over 2000 sources, at the sources or at other points, by both methods.
template <class K>
void check_scales(double length, double strength) {
    const Strengths q = scaled(strengths(2000), strength);
    const Problem problems[]{
        {scaled(uniform(2000, 1), length), {}, q},
        {scaled(uniform(2000, 1), length), scaled(uniform(900, 2), length), q}};
    for (const Problem& problem : problems) {
        const double tolerance = is_single<K> ? 1e-5 : 1e-10;
        CAPTURE(length);
        CAPTURE(strength);
        CHECK(error_of<K>(problem, {.tolerance = tolerance, .levels = 3}) <= tolerance);
        CHECK(
            error_of<K>(problem, {.method = starfmm::Method::direct, .tolerance = tolerance}) <=
            tolerance
        );
    }
}

/// Makes points on random sites of a lattice.
Points<2> on_sites(std::size_t n, std::size_t side, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    Points<2> points{{std::vector<double>(n), std::vector<double>(n)}};
    for (std::size_t i = 0; i < n; ++i) {
        points.x[0][i] = static_cast<double>(engine() % side);
        points.x[1][i] = static_cast<double>(engine() % side);
    }
    return points;
}

} // namespace

TEST_CASE_TEMPLATE("plan: groups of one leaf keep what P2L adds", K, Harmonic<double, false>, Log<double>, Harmonic<float, false>) {
    const Problem problems[]{
        {uniform(6000, 1), {}, strengths(6000)},
        {uniform(6000, 1), uniform(5000, 2), strengths(6000)}};
    for (const Problem& problem : problems) {
        for (const int groups : {1, 4, 16}) { // groups of 4 have leaves below them
            PlanOptions options{.tolerance = 1e-5, .theta = 0.5, .levels = 2, .groups = groups};
            starfmm::PlanInfo info;
            CAPTURE(groups);
            CHECK(error_of<K>(problem, options, &info) <= options.tolerance);
            CHECK(info.work.p2l_pairs > 0);
            CHECK(info.groups == groups);
        }
    }
}

TEST_CASE_TEMPLATE("plan: many sources a site, and targets on the sites", K, Harmonic<double, false>, Log<double>, Harmonic<float, false>) {
    constexpr std::size_t n = 20'000; // 50 a site, where an expansion of 11 terms pays
    const Problem problems[]{
        {on_sites(n, 20, 1), {}, strengths(n)},
        {on_sites(n, 20, 1), on_sites(n, 20, 2), strengths(n)}};
    TakesTurns taken;
    for (const Problem& problem : problems) {
        for (const int levels : {3, 4, 5, 6}) {
            for (const double theta : {0.5, 0.95}) {
                if (!taken()) {
                    continue;
                }
                const PlanOptions options{
                    .tolerance = 1e-2, .order = 11, .theta = theta, .levels = levels};
                CAPTURE(levels);
                CAPTURE(theta);
                CHECK(error_of<K>(problem, options) <= (theta < 0.9 ? options.tolerance : 1));
            }
        }
    }
}

TEST_CASE_TEMPLATE("plan: points of any extent", K, Harmonic<double, false>, Harmonic<float, true>, Log<double>, Log<float>) {
    for (const double length : {1e-300, 1e-160, 1e-150, 1e-19, 1e-17, 1e17, 1e150, 1e300}) {
        check_scales<K>(length, 1);
    }
}

TEST_CASE_TEMPLATE("plan: strengths of any size", K, Harmonic<double, false>, Harmonic<float, true>, Log<double>, Log<float>) {
    for (const double strength : {1e-300, 1e-60, 1e-40, 1e60, 1e100, 1e250}) {
        check_scales<K>(1, strength);
    }
    check_scales<K>(1e-100, 1e-120);
}

TEST_CASE_TEMPLATE("plan: a cluster at the origin, much closer than others", K, Harmonic<float, false>, Log<float>) {
    Problem problem{uniform(3000, 1), {}, strengths(3000)};
    for (auto& x : problem.sources.x) {
        for (std::size_t i = 0; i < 300; ++i) {
            x[i] *= 1e-22;
        }
    }
    CHECK(error_of<K>(problem, {.tolerance = 1e-5, .levels = 3}) <= 1e-5);
}

TEST_CASE("plan: results of scaled problems reach resident arrays") {
    const Problem problem{uniform(2000, 1), {}, scaled(strengths(2000), 1e250)};
    for (const auto execution : {starfmm::Execution::in_order, starfmm::Execution::tasks}) {
        Runtime runtime({1, 0, "", false}, execution);
        Potentials potentials{std::vector<double>(2000), std::vector<double>(2000)};
        starfmm::Resident re(runtime, potentials.re);
        starfmm::Resident im(runtime, potentials.im);
        auto& kernel = kernel_set<Harmonic<double, false>>();
        Plan(runtime, kernel, problem.sources, {.levels = 3})
            .evaluate(problem.strengths, potentials);
        re.bring_home();
        im.bring_home();
        CHECK(largest_error<Harmonic<double, false>>(problem, potentials) <= 1e-6);
    }
}

TEST_CASE("plan: an array is resident once at a time") {
    Runtime runtime({}, starfmm::Execution::in_order);
    std::vector<double> values(10);
    {
        const starfmm::Resident first(runtime, values);
        CHECK_THROWS_WITH_AS(
            starfmm::Resident(runtime, values),
            "the array has a Resident already: it can have one at a time",
            starfmm::InputError
        );
    }
    const starfmm::Resident next(runtime, values);
}

TEST_CASE("plan: resident points in chunks are refused, or scaled, whatever they are") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    auto& kernel = kernel_set<Harmonic<double, false>>();
    const PlanOptions options{.levels = 3, .groups = 16, .chunks = 3};
    for (const auto execution : {starfmm::Execution::in_order, starfmm::Execution::tasks}) {
        Runtime runtime({1, 0, "", false}, execution);
        const auto plan_of = [&](Points<2>& points) {
            const starfmm::Resident x(runtime, points.x[0]);
            const starfmm::Resident y(runtime, points.x[1]);
            static_cast<void>(Plan(runtime, kernel, points, options));
        };
        for (const double bad : {nan, -nan, infinite, -infinite}) {
            for (const std::size_t n_bad : {1, 700, 2000}) { // bad sources from 1300 on
                Points<2> points = uniform(2000, 1);
                const std::size_t first = n_bad == 2000 ? 0 : 1300;
                std::fill_n(points.x[1].begin() + static_cast<std::ptrdiff_t>(first), n_bad, bad);
                CAPTURE(n_bad);
                CHECK_THROWS_WITH_AS(
                    plan_of(points),
                    doctest::Contains(("sources.y[" + std::to_string(first) + "]").c_str()),
                    starfmm::InputError
                );
            }
        }
        Problem far{scaled(uniform(2000, 1), 1e200), {}, strengths(2000)};
        const starfmm::Resident x(runtime, far.sources.x[0]);
        Plan plan(runtime, kernel, far.sources, options);
        CHECK(largest_error<Harmonic<double, false>>(far, plan.evaluate(far.strengths)) <= 1e-6);
    }
}

TEST_CASE("plan: the mesh is in the user's unit") {
    const auto points = scaled(uniform(2000, 1), 0x1p-600);
    Runtime runtime({}, starfmm::Execution::in_order);
    Plan plan(runtime, kernel_set<Harmonic<double, false>>(), points, {.levels = 3});
    for (const starfmm::MeshLeaf& leaf : plan.mesh(5)) {
        CHECK(leaf.x_max <= 0x1p-600);
        CHECK(leaf.y_max <= 0x1p-600);
        CHECK(leaf.x_max > 0);
    }
}
