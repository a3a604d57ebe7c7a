// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/gravity_kernels3d.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/direct_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

using starfmm::compare;
using starfmm::compare_gradient;
using starfmm::direct_sum;
using starfmm::DirectSum;
using starfmm::Distribution;
using starfmm::ErrorNorms;
using starfmm::exact_kernel;
using starfmm::ExactKernel;
using starfmm::InputError;
using starfmm::make_points;
using starfmm::make_strengths;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::random_targets;
using starfmm::Strengths;
using starfmm::StrengthSign;
using starfmm::StrengthType;

namespace {

using Real = long double;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

ExactKernel harmonic() {
    return exact_kernel<starfmm::Harmonic<double, true>>();
}

ExactKernel logarithm() {
    return exact_kernel<starfmm::Log<double>>();
}

ExactKernel laplace() {
    return exact_kernel<starfmm::LaplaceGradient<double>>();
}

bool is_close(Real value, Real expected) {
    return std::abs(value - expected) <= 4 * epsilon * std::abs(expected); // a few roundings
}

} // namespace

TEST_CASE("direct_sum: harmonic is q / (z_j - z_i)") {
    const Points<2> source{{{{3}, {4}}}};
    const Points<2> target{{{{0}, {0}}}};
    // (1 + 2i) / (3 + 4i) = (11 + 2i) / 25
    const DirectSum sum = direct_sum(harmonic(), source, Strengths{{1}, {2}}, target, {0});
    CHECK(is_close(sum.re[0], Real(11) / 25));
    CHECK(is_close(sum.im[0], Real(2) / 25));
    CHECK(is_close(sum.magnitude[0], std::sqrt(Real(5)) / 5));
    const DirectSum real = direct_sum(harmonic(), source, Strengths{{2}, {}}, target, {0});
    CHECK(is_close(real.re[0], Real(6) / 25));
    CHECK(is_close(real.im[0], -Real(8) / 25));
}

TEST_CASE("direct_sum: log is q log|z_i - z_j|, part by part") {
    const Points<2> source{{{{3}, {4}}}};
    const Points<2> target{{{{0}, {0}}}};
    const DirectSum sum = direct_sum(logarithm(), source, Strengths{{2}, {-3}}, target, {0});
    CHECK(is_close(sum.re[0], 2 * std::log(Real(5))));
    CHECK(is_close(sum.im[0], -3 * std::log(Real(5))));
    CHECK(is_close(sum.magnitude[0], std::sqrt(Real(13)) * std::log(Real(5))));
    const DirectSum real = direct_sum(logarithm(), source, Strengths{{2}, {}}, target, {0});
    CHECK(is_close(real.re[0], 2 * std::log(Real(5))));
    CHECK(real.im[0] == 0);
}

TEST_CASE("direct_sum: laplace is q / |y - x|, and its gradient points to positive sources") {
    const Points<3> sources{{{{3, 0}, {4, 0}, {0, -2}}}};
    const Points<3> target{{{{0}, {0}, {0}}}};
    const DirectSum sum = direct_sum(laplace(), sources, Strengths{{2, -1}, {}}, target, {0});
    CHECK(is_close(sum.re[0], Real(2) / 5 - Real(1) / 2));
    CHECK(sum.im[0] == 0);
    CHECK(is_close(sum.magnitude[0], Real(2) / 5 + Real(1) / 2));
    CHECK(is_close(sum.gradient[0][0], Real(6) / 125));
    CHECK(is_close(sum.gradient[1][0], Real(8) / 125));
    CHECK(is_close(sum.gradient[2][0], Real(1) / 4));
    const DirectSum complex =
        direct_sum(laplace(), sources, Strengths{{2, -1}, {5, 0}}, target, {0});
    CHECK(is_close(complex.im[0], 1));
    CHECK(complex.gradient == sum.gradient); // the gradient of the real part
    CHECK(direct_sum(
              logarithm(), Points<2>{{{{3}, {4}}}}, Strengths{{2}, {}}, Points<2>{{{{0}, {0}}}}, {0}
    )
              .gradient[0]
              .empty());
}

TEST_CASE("direct_sum: complex strengths of a kernel of real ones are summed part by part") {
    const auto of_real = exact_kernel<starfmm::Harmonic<double, false>>();
    const auto sources = make_points<2>(Distribution::uniform, 30, 0.1, 1);
    const auto q = make_strengths(30, StrengthSign::random, StrengthType::complex, 3);
    const std::vector<std::size_t> all = random_targets(30, 30, 0);
    const DirectSum parts = direct_sum(of_real, sources, q, sources, all);
    const DirectSum whole = direct_sum(harmonic(), sources, q, sources, all);
    for (std::size_t i = 0; i < 30; ++i) {
        CHECK(std::abs(parts.re[i] - whole.re[i]) <= 100 * epsilon * whole.magnitude[i]);
        CHECK(std::abs(parts.im[i] - whole.im[i]) <= 100 * epsilon * whole.magnitude[i]);
        CHECK(std::abs(parts.magnitude[i] - whole.magnitude[i]) <= 1e-15 * whole.magnitude[i]);
    }
}

TEST_CASE("direct_sum: a softened kernel's own parameters count") {
    const Points<3> bodies{{{{0, 3}, {0, 0}, {0, 0}}}};
    const auto softened = exact_kernel<starfmm::SoftenedGravity<double>>(4.0);
    const DirectSum sum = direct_sum(softened, bodies, Strengths{{0, 10}, {}}, bodies, {0});
    CHECK(is_close(sum.re[0], 2)); // 10 / sqrt(3^2 + 4^2)
    CHECK(is_close(sum.gradient[0][0], Real(30) / 125));
}

TEST_CASE("direct_sum: the gradient of a logarithm is that of its harmonic sum") {
    const auto sources = make_points<2>(Distribution::uniform, 30, 0.1, 1);
    const auto q = make_strengths(30, StrengthSign::random, StrengthType::real, 3);
    const std::vector<std::size_t> all = random_targets(30, 30, 0);
    const auto gradient = exact_kernel<starfmm::LogGradient<double>>();
    const DirectSum log = direct_sum(gradient, sources, q, sources, all);
    const DirectSum sum = direct_sum(harmonic(), sources, q, sources, all);
    REQUIRE(log.gradient[1].size() == 30);
    CHECK(log.gradient[2].empty());
    for (std::size_t i = 0; i < 30; ++i) { // with f' = sum q / (z - z_j): (Re f', -Im f')
        const Real rounding = 100 * epsilon * sum.magnitude[i];
        CHECK(std::abs(log.gradient[0][i] + sum.re[i]) <= rounding);
        CHECK(std::abs(log.gradient[1][i] - sum.im[i]) <= rounding);
    }
}

TEST_CASE("direct_sum: the gradient of laplace is what potentials beside the target say") {
    const auto sources = make_points<3>(Distribution::uniform, 50, 0.1, 1);
    const auto q = make_strengths(50, StrengthSign::random, StrengthType::real, 1);
    const double step = 0x1p-10; // exact in all coordinates below
    const Points<3> targets{{{{2, 2 + step, 2, 2}, {-1, -1, -1 + step, -1}, {3, 3, 3, 3 + step}}}};
    const DirectSum sum = direct_sum(laplace(), sources, q, targets, {0, 1, 2, 3});
    for (std::size_t d = 0; d < 3; ++d) {
        const Real slope = (sum.re[d + 1] - sum.re[0]) / step;
        const Real between = (sum.gradient[d][d + 1] + sum.gradient[d][0]) / 2;
        // trapezoidal rule: step^2 / 12 times a third derivative, 15 q / r^4 at the most, r > 1
        CHECK(std::abs(slope - between) < step * step * 15 / 12 * sum.magnitude[0]);
    }
}

TEST_CASE("direct_sum: sources of a regular polygon cancel at its centre, magnitudes add up") {
    const int n = 64;
    Points<2> sources;
    for (int j = 0; j < n; ++j) {
        sources.x[0].push_back(std::cos(2 * std::numbers::pi * j / n));
        sources.x[1].push_back(std::sin(2 * std::numbers::pi * j / n));
    }
    const Strengths ones{std::vector<double>(n, 1), {}};
    const Points<2> centre{{{{0}, {0}}}};
    const DirectSum sum = direct_sum(harmonic(), sources, ones, centre, {0});
    // the sources are doubles: each is off the circle by at most their epsilon
    const Real rounding = n * std::numeric_limits<double>::epsilon();
    CHECK(std::abs(sum.re[0]) < rounding);
    CHECK(std::abs(sum.im[0]) < rounding);
    CHECK(std::abs(sum.magnitude[0] - n) < rounding);
    const DirectSum log = direct_sum(logarithm(), sources, ones, centre, {0});
    CHECK(std::abs(log.re[0]) < rounding);
}

TEST_CASE("direct_sum: coincident points are left out, close ones are not") {
    const double close = std::numeric_limits<double>::denorm_min();
    const Points<2> sources{{{{0, 0, close}, {0, 0, 0}}}};
    const Points<2> target{{{{0}, {0}}}};
    const DirectSum sum = direct_sum(harmonic(), sources, Strengths{{5, 7, 1}, {}}, target, {0});
    CHECK(is_close(sum.re[0], 1 / Real(close)));
    const DirectSum none = direct_sum(logarithm(), target, Strengths{{5}, {}}, target, {0});
    CHECK(none.re[0] == 0);
    CHECK(none.magnitude[0] == 0);
}

TEST_CASE("direct_sum: only the targets asked for are summed, in their order") {
    const auto sources = make_points<2>(Distribution::uniform, 101, 0.1, 1);
    const auto targets = make_points<2>(Distribution::normal, 53, 0.1, 2);
    const auto q = make_strengths(101, StrengthSign::random, StrengthType::complex, 3);
    const DirectSum some = direct_sum(harmonic(), sources, q, targets, {52, 7});
    const DirectSum all = direct_sum(harmonic(), sources, q, targets, random_targets(53, 53, 0));
    CHECK(some.re == std::vector<Real>{all.re[52], all.re[7]});
    CHECK(some.im == std::vector<Real>{all.im[52], all.im[7]});
    CHECK(all.re.size() == 53);
}

TEST_CASE("direct_sum: sizes and indices that do not fit are rejected") {
    const Points<2> two{{{{0, 1}, {0, 1}}}};
    CHECK_THROWS_WITH_AS(
        direct_sum(logarithm(), two, Strengths{{1}, {}}, two, {0}),
        "strengths: 1 real and 0 imaginary parts for 2 sources: must be equal (or no imaginary "
        "parts)",
        InputError
    );
    CHECK_THROWS_AS(direct_sum(logarithm(), two, Strengths{{1, 1}, {1}}, two, {0}), InputError);
    CHECK_THROWS_WITH_AS(
        direct_sum(logarithm(), two, Strengths{{1, 1}, {}}, two, {0, 2}),
        "index 2: must be below the number of targets, 2",
        InputError
    );
}

TEST_CASE("direct_sum: points of another dimension than the kernel's are rejected") {
    const Points<2> plane{{{{0}, {1}}}};
    const Points<3> space{{{{0}, {1}, {2}}}};
    CHECK_THROWS_WITH_AS(
        direct_sum(laplace(), plane, Strengths{{1}, {}}, space, {0}),
        "sources: of 2 dimensions: must be of 3",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        direct_sum(logarithm(), plane, Strengths{{1}, {}}, space, {0}),
        "targets: of 3 dimensions: must be of 2",
        InputError
    );
}

TEST_CASE("direct_sum: errors of gradients are relative to the exact vectors") {
    const DirectSum exact{{0, 0}, {0, 0}, {}, {{{3, 0}, {0, 0}, {4, 2}}}};
    const Potentials potentials{{0, 0, 0}, {}, {{{3, 9, 0}, {0, 9, 0}, {4, 9, 3}}}};
    // errors are 0 and 1, of sizes 5 and 2
    const ErrorNorms norms = compare_gradient(potentials, exact, {0, 2});
    CHECK(norms.max_rel == 0.5);
    CHECK(norms.l2_rel == doctest::Approx(1 / std::sqrt(29.0)).epsilon(1e-15));
    CHECK(norms.checked == 2);
    CHECK_THROWS_AS(compare_gradient({{1}, {}}, exact, {0, 0}), InputError);
    CHECK_THROWS_AS(compare_gradient(potentials, exact, {0}), InputError);
}

TEST_CASE("direct_sum: errors are relative to the exact values") {
    const DirectSum exact{{3, 0, 1}, {4, 2, 0}, {}};
    const Potentials potentials{{9, 3, 0, 1}, {9, 4, 3, 0}};
    // errors are 0, 1 and 0, of sizes 5, 2 and 1
    const ErrorNorms norms = compare(potentials, exact, {1, 2, 3});
    CHECK(norms.max_rel == 0.5);
    CHECK(norms.l2_rel == doctest::Approx(1 / std::sqrt(30.0)).epsilon(1e-15));
    CHECK(norms.checked == 3);
    const Potentials real{{3, 0, 1}, {}};
    CHECK(compare(real, {{3, 0, 2}, {0, 0, 0}, {}}, {0, 1, 2}).max_rel == 0.5);
}

TEST_CASE("direct_sum: an exact zero is met by zero only") {
    const DirectSum exact{{0}, {0}, {}};
    const ErrorNorms met = compare({{0}, {}}, exact, {0});
    CHECK(met.max_rel == 0);
    CHECK(met.l2_rel == 0);
    const ErrorNorms missed = compare({{1e-300}, {}}, exact, {0});
    CHECK(missed.max_rel == infinity);
    CHECK(missed.l2_rel == infinity);
}

TEST_CASE("direct_sum: values that are not finite are infinitely wrong") {
    const DirectSum exact{{1, 1}, {0, 0}, {}};
    for (const double bad : {double(NAN), infinity}) {
        const ErrorNorms norms = compare({{bad, 1}, {}}, exact, {0, 1});
        CHECK(norms.max_rel == infinity);
        CHECK(norms.l2_rel == infinity);
    }
}

TEST_CASE("direct_sum: comparing other sizes is rejected, nothing compares as no error") {
    const DirectSum exact{{1}, {0}, {}};
    CHECK_THROWS_WITH_AS(
        compare({{1, 2}, {}}, exact, {0, 1}),
        "1 exact values for 2 targets: must be equal",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        compare({{1}, {}}, exact, {1}),
        "index 1: must be below the number of potentials, 1",
        InputError
    );
    const ErrorNorms nothing = compare({}, {}, {});
    CHECK(nothing.max_rel == 0);
    CHECK(nothing.checked == 0);
}

TEST_CASE("direct_sum: random targets are distinct, sorted, in range and seeded") {
    for (const std::size_t k : {1, 10, 999}) {
        const auto targets = random_targets(1000, k, 1);
        CHECK(targets.size() == k);
        CHECK(std::is_sorted(targets.begin(), targets.end()));
        CHECK(std::set<std::size_t>(targets.begin(), targets.end()).size() == k);
        CHECK(targets.back() < 1000);
        CHECK(targets == random_targets(1000, k, 1));
        CHECK(targets != random_targets(1000, k, 2));
    }
    const std::vector<std::size_t> all{0, 1, 2};
    CHECK(random_targets(3, 3, 1) == all);
    CHECK(random_targets(3, 4, 1) == all);
    CHECK(random_targets(3, 0, 1).empty());
    CHECK(random_targets(0, 3, 1).empty());
}

TEST_CASE("direct_sum: random targets are spread evenly") {
    double mean = 0;
    for (const std::size_t target : random_targets(1'000'000'000, 10'000, 5)) {
        mean += static_cast<double>(target) / 1e9 / 1e4;
    }
    CHECK(std::abs(mean - 0.5) < 5 / std::sqrt(12 * 1e4)); // five standard deviations
}

TEST_CASE("near_pairs: boxes that are the same or touch") {
    // 4 boxes a side of [0, 4]^2, a target in each corner of one
    const Points<2> sources{{{{0, 4, 0.5, 1.5, 2.5, 3.5}, {0, 4, 0.5, 0.5, 0.5, 0.5}}}};
    const Points<2> targets{{{{0.9, 1.1, 3.9}, {1.9, 2.1, 1.1}}}};
    const auto acts = starfmm::near_pairs(sources, targets, 2);
    const std::vector<std::vector<bool>> expected{
        {true, false, true, true, false, false},    // box (0, 1)
        {false, false, false, false, false, false}, // box (1, 2)
        {false, false, false, false, true, true}};  // box (3, 1)
    for (std::size_t t = 0; t < 3; ++t) {
        for (std::size_t s = 0; s < 6; ++s) {
            CHECK(acts(t, s) == expected[t][s]);
        }
    }
    const auto exact = exact_kernel<starfmm::Log<double>>();
    const Strengths ones{std::vector<double>(6, 1.0), {}};
    const DirectSum sum = direct_sum(exact, sources, ones, targets, {0, 1}, acts);
    const double near = std::log(std::hypot(0.9, 1.9)) + std::log(std::hypot(0.4, 1.4)) +
                        std::log(std::hypot(0.6, 1.4));
    CHECK(static_cast<double>(sum.re[0]) == doctest::Approx(near));
    CHECK(sum.re[1] == 0);
    CHECK(starfmm::near_pairs(sources, targets, 0)(0, 1)); // one box
}
