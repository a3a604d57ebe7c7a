// SPDX-License-Identifier: BSD-3-Clause
// Tests of the kernel that the examples plug in: its expansions, and sums through the whole
// library.
#include "core/particles/distributions.hpp"
#include "core/reference/direct_sum.hpp"
#include "examples/plug_in/dipole.hpp"
#include "schedulers/plan/plan.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace {

using namespace starfmm;
using Z = Complex<double>;
using Dipole = examples::Dipole<double>;
using Coefficients = std::array<Z, max_order + 1>;

constexpr double q = -0.7;
const Frame<double> box{{0.3, -0.2}, 0.5};
const Z inside{0.1, 0.1};    // |inside - centre| = 0.36
const Z outside{-0.4, 0.75}; // 1.18 from the centre

double distance(Z a, Z b) {
    return std::sqrt(norm(a - b));
}

/// Remainder of a Taylor series of the pair, for x < 1: |q| / s^2 sum_{l>p} (l + 1) x^l.
double taylor_tail(int p, double s, double x) {
    return std::abs(q) / (s * s) * std::pow(x, p + 1) * (p + 2 - (p + 1) * x) / ((1 - x) * (1 - x));
}

/// Remainder of a Laurent series of the pair: |q| / s^2 sum_{k>p} (k - 1) x^k.
double laurent_tail(int p, double s, double x) {
    return std::abs(q) / (s * s) * std::pow(x, p + 1) * (p - (p - 1) * x) / ((1 - x) * (1 - x));
}

Coefficients multipole(int p, const Frame<double>& frame, Z source) {
    Coefficients a{};
    Dipole::p2m(p, frame, source, q, a.data());
    return a;
}

Coefficients local(int p, const Frame<double>& frame, Z source) {
    Coefficients b{};
    Dipole::p2l(p, frame, source, q, b.data());
    return b;
}

/// Rounding of 64 terms of magnitude below 10, which dominates where the remainders fall below it.
constexpr double rounding = 1e-13;

/// L2 error of the method against the direct sums of all targets, in the caller's thread.
double error_of(const Points<2>& points, const Points<2>& targets, PlanOptions options) {
    const Strengths strengths =
        make_strengths(points.size(), StrengthSign::random, StrengthType::real, 3);
    Runtime runtime({}, Execution::in_order);
    Plan fast(runtime, kernel_set<Dipole>(), points, targets, options);
    options.method = Method::direct;
    Plan slow(runtime, kernel_set<Dipole>(), points, targets, options);
    const Potentials sums = slow.evaluate(strengths);
    std::vector<std::size_t> all(targets.size());
    std::iota(all.begin(), all.end(), std::size_t(0));
    const DirectSum exact{{sums.re.begin(), sums.re.end()}, {sums.im.begin(), sums.im.end()}, {}};
    return compare(fast.evaluate(strengths), exact, all).l2_rel;
}

} // namespace

TEST_CASE("plug-in p2p: a pair is q / (z_j - z)^2, and zero of a point on itself") {
    const Z d = inside - outside;
    const Z value = Dipole::p2p(outside, inside, q) * (d * d);
    CHECK(value.re == doctest::Approx(q).epsilon(1e-14));
    CHECK(std::abs(value.im) < 1e-14);
    CHECK(norm(Dipole::p2p(inside, inside, q)) == 0);
}

TEST_CASE("plug-in p2m, m2p: the multipole's error is the tail of its series") {
    const double s = distance(inside, box.centre);
    const double x = s / distance(outside, box.centre);
    for (const int p : {2, 5, 10, 20, 40, 64}) {
        CAPTURE(p);
        const Coefficients a = multipole(p, box, inside);
        const Z value = Dipole::m2p(p, box, a.data(), outside);
        const double error = distance(value, Dipole::p2p(outside, inside, q));
        CHECK(error <= laurent_tail(p, s, x) + rounding);
    }
}

TEST_CASE("plug-in p2l, l2p: the local expansion's error is the tail of its series") {
    const double s = distance(outside, box.centre);
    const double x = distance(inside, box.centre) / s;
    for (const int p : {2, 5, 10, 20, 40, 64}) {
        CAPTURE(p);
        const Coefficients b = local(p, box, outside);
        const Z value = Dipole::l2p(p, box, b.data(), inside);
        const double error = distance(value, Dipole::p2p(inside, outside, q));
        CHECK(error <= taylor_tail(p, s, x) + rounding);
    }
}

TEST_CASE("plug-in m2m, l2l: translations are exact") {
    constexpr int p = 20;
    const Frame<double> parent{{0.1, 0.1}, 1.0};
    const Coefficients small = multipole(p, box, inside);
    const Coefficients large = multipole(p, parent, inside);
    Coefficients moved{};
    Dipole::m2m(p, box, small.data(), parent, moved.data());
    for (int k = 0; k <= p; ++k) {
        CAPTURE(k);
        CHECK(distance(moved[k], large[k]) <= rounding);
    }
    const Coefficients wide = local(p, parent, {3, 2});
    Coefficients narrow{};
    Dipole::l2l(p, parent, wide.data(), box, narrow.data());
    const Z before = Dipole::l2p(p, parent, wide.data(), inside);
    const Z after = Dipole::l2p(p, box, narrow.data(), inside);
    CHECK(distance(before, after) <= rounding);
}

TEST_CASE("plug-in m2l: a translated multipole converges to the pair at the criterion's rate") {
    const Frame<double> target{{1.8, -0.2}, 0.5}; // R + R / 2 = d / 2: on the criterion
    const Z far{1.4, -0.45};
    for (const int p : {4, 10, 20, 40}) {
        CAPTURE(p);
        const Coefficients a = multipole(p, box, inside);
        Coefficients b{};
        Dipole::m2l(p, box, a.data(), target, b.data());
        const double error =
            distance(Dipole::l2p(p, target, b.data(), far), Dipole::p2p(far, inside, q));
        // each of the two series leaves out at most sum_{k>p} (k + 1) / 2^k = (p + 3) / 2^p
        const double unit = std::abs(q) / (box.radius * box.radius);
        CHECK(error <= 2 * unit * (p + 3) * std::pow(0.5, p) + rounding);
    }
}

TEST_CASE("plug-in order: it grows with the demand") {
    CHECK(Dipole::order(1e-10, 0.5) > Dipole::order(1e-6, 0.5));
    CHECK(Dipole::order(1e-6, 0.6) > Dipole::order(1e-6, 0.5));
    CHECK(Dipole::order(1e-300, 0.5) == max_order);
}

TEST_CASE("plug-in: whole sums keep the tolerance") {
    constexpr std::size_t n = 4000;
    for (const double tolerance : {1e-6, 1e-10}) {
        // on a lattice no close pair outweighs the far field
        for (const auto which : {Distribution::lattice, Distribution::normal}) {
            CAPTURE(tolerance);
            CAPTURE(static_cast<int>(which));
            const Points<2> points = make_points<2>(which, n, 0.1, 1);
            const PlanOptions options{.tolerance = tolerance, .leaf_size = 20};
            CHECK(error_of(points, points, options) <= tolerance);
            const Points<2> targets = make_points<2>(Distribution::circle, 500, 0.1, 2);
            CHECK(error_of(points, targets, options) <= tolerance);
        }
    }
}

TEST_CASE("plug-in: StarPU's workers compute what the caller's thread computes") {
    const Points<2> points = make_points<2>(Distribution::uniform, 3000, 0.1, 1);
    const Strengths strengths = make_strengths(3000, StrengthSign::random, StrengthType::real, 3);
    const auto sums = [&](Execution execution) {
        RuntimeOptions one_core;
        one_core.cpus = 1;
        one_core.gpus = 0;
        Runtime runtime(one_core, execution);
        PlanOptions options;
        options.groups = 4;
        options.tuning = starfmm::Tuning::builtin; // the same tree, whatever was measured before
        return Plan(runtime, kernel_set<Dipole>(), points, options).evaluate(strengths);
    };
    const Potentials in_order = sums(Execution::in_order);
    const Potentials tasks = sums(Execution::tasks);
    CHECK(in_order.re == tasks.re);
    CHECK(in_order.im == tasks.im);
}
