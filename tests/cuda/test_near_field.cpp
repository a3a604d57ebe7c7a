// SPDX-License-Identifier: BSD-3-Clause
// Near fields on a GPU, by each scheme of pairs.
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/plan.hpp"
#include "tests/kernels/counting_pairs.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

using starfmm::Method;
using starfmm::PairScheme;
using starfmm::PlanOptions;
using starfmm::Points;

constexpr PairScheme schemes[]{PairScheme::automatic, PairScheme::one_way, PairScheme::both_ways};

PlanOptions near_field(int height, PairScheme pairs) {
    PlanOptions options{.method = Method::near_field, .tolerance = 1e-5, .levels = height};
    options.pairs = pairs;
    return options;
}

/// Compares a sum with the exact one; single precision may lose some digits of close pairs' sums.
template <class K>
void check_points(
    starfmm::Runtime& runtime, const Points<starfmm::dimension_of<K>>& points, int height
) {
    starfmm::KernelSet& kernel = starfmm::kernel_set<K>();
    const auto strengths = starfmm::make_strengths(
        points.size(), starfmm::StrengthSign::random, starfmm::StrengthType::real, 3
    );
    const auto which = starfmm::random_targets(points.size(), 200, 1);
    const auto near = starfmm::near_pairs(points, points, height);
    const auto exact =
        starfmm::direct_sum(kernel.traits.exact(0), points, strengths, points, which, near);
    const double tolerance = std::is_same_v<typename K::Real, double> ? 1e-12 : 1e-4;
    for (const PairScheme pairs : schemes) {
        CAPTURE(static_cast<int>(pairs));
        starfmm::Plan plan(runtime, kernel, points, near_field(height, pairs));
        for (int evaluation = 0; evaluation < 2; ++evaluation) { // the second on the same tree
            const auto values = plan.evaluate(strengths);
            CHECK(starfmm::compare(values, exact, which).l2_rel <= tolerance);
            if (starfmm::has_gradient<K>) {
                CHECK(starfmm::compare_gradient(values, exact, which).l2_rel <= tolerance);
            }
        }
    }
}

template <int D>
Points<D> uniform_points(std::size_t n) {
    return starfmm::make_points<D>(starfmm::Distribution::uniform, scene_size(n), 0.1, 4);
}

/// Makes points some of whose boxes hold very many of them.
template <int D>
Points<D> crowded_points(std::size_t n) {
    Points<D> points = uniform_points<D>(n);
    for (auto& coordinate : points.x) {
        for (std::size_t i = 1; i < n / 2 && i < coordinate.size(); ++i) {
            coordinate[i] *= 1e-2;
        }
    }
    return points;
}

template <class K>
void check_kernel(starfmm::Runtime& runtime) {
    constexpr int D = starfmm::dimension_of<K>;
    constexpr int deep = D == 2 ? 7 : 5; // leaves enough for both ways
    check_points<K>(runtime, uniform_points<D>(1), 2);
    check_points<K>(runtime, uniform_points<D>(700), 0);
    check_points<K>(runtime, uniform_points<D>(1500), 2);
    check_points<K>(runtime, uniform_points<D>(100), 4); // most boxes are empty
    check_points<K>(runtime, uniform_points<D>(100'000), deep);
    check_points<K>(runtime, crowded_points<D>(20'000), 4);
}

} // namespace

TEST_CASE("near_field: CUDA sums the pairs of boxes that touch, by each scheme") {
    starfmm::Runtime runtime(starfmm::RuntimeOptions{0, 1, "", false});
    check_kernel<starfmm::Harmonic<double, false>>(runtime);
    check_kernel<starfmm::Log<float>>(runtime);
    check_kernel<starfmm::Laplace<double>>(runtime);
    check_kernel<starfmm::LaplaceGradient<float>>(runtime);
}

TEST_CASE("near_field: CUDA counts the points in reach of a kernel without expansions") {
    starfmm::Runtime runtime(starfmm::RuntimeOptions{0, 1, "", false});
    const Points<3> points = uniform_points<3>(3000);
    const std::size_t n = points.size();
    const auto acts = starfmm::near_pairs(points, points, 3);
    for (const PairScheme pairs : schemes) {
        starfmm::Plan plan(
            runtime, starfmm::kernel_set<CountingPairs>(), points, near_field(3, pairs)
        );
        const auto counts = plan.evaluate({std::vector<double>(n, 1.0), {}});
        for (std::size_t i = 0; i < n; ++i) {
            int n_near = -1; // the point itself does not count
            for (std::size_t j = 0; j < n; ++j) {
                n_near += acts(i, j) ? 1 : 0;
            }
            REQUIRE(counts.re[i] == n_near);
        }
    }
}
