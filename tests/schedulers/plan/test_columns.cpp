// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/columns.hpp"
#include "core/expansions/kernels2d.hpp"
#include "schedulers/plan/plan.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/shapes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using starfmm::Execution;
using starfmm::InputError;
using starfmm::kernel_set;
using starfmm::Method;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Runtime;
using starfmm::Strengths;
using starfmm::TreeKind;

namespace {

std::vector<Strengths>
make_columns(std::size_t n_columns, std::size_t n, starfmm::StrengthType type) {
    std::vector<Strengths> columns;
    for (std::size_t c = 0; c < n_columns; ++c) {
        columns.push_back(starfmm::make_strengths(n, starfmm::StrengthSign::random, type, 10 + c));
    }
    return columns;
}

/// Largest difference over largest value, of each component.
double difference(const Potentials& a, const Potentials& b) {
    double worst = 0;
    const auto add = [&](const std::vector<double>& x, const std::vector<double>& y) {
        REQUIRE(x.size() == y.size());
        double largest = 0;
        double apart = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            largest = std::max(largest, std::abs(x[i]));
            apart = std::max(apart, std::abs(x[i] - y[i]));
        }
        worst = std::max(worst, largest > 0 ? apart / largest : apart);
    };
    add(a.re, b.re);
    add(a.im, b.im);
    add(a.gradient[0], b.gradient[0]);
    add(a.gradient[1], b.gradient[1]);
    return worst;
}

/// Checks that right-hand sides together give what each gives alone, to within roundings.
void check_plan(Plan& plan, const std::vector<Strengths>& columns, double roundings) {
    const std::vector<Potentials> together = plan.evaluate(columns);
    REQUIRE(together.size() == columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
        CAPTURE(c);
        CHECK(difference(together[c], plan.evaluate(columns[c])) <= roundings);
    }
}

template <class K>
void check_kernel(Runtime& runtime, const PlanOptions& options, std::size_t n_targets) {
    constexpr bool is_double = std::is_same_v<typename K::Real, double>;
    const std::size_t n = 1200;
    const auto sources = make_shape("layer", n, 1);
    const auto type = starfmm::has_complex_strength<K> ? starfmm::StrengthType::complex
                                                       : starfmm::StrengthType::real;
    Plan plan =
        n_targets == 0
            ? Plan(runtime, kernel_set<K>(), sources, options)
            : Plan(runtime, kernel_set<K>(), sources, make_shape("normal", n_targets, 2), options);
    for (const std::size_t n_columns : {3, 4, 1, 6}) {
        CAPTURE(n_columns);
        check_plan(plan, make_columns(n_columns, n, type), is_double ? 1e-13 : 1e-4);
    }
}

PlanOptions options(TreeKind tree, int groups = 0) {
    PlanOptions options;
    options.method = Method::fmm;
    options.tree = tree;
    options.tolerance = 1e-5;
    options.leaf_size = 40;
    options.groups = groups;
    return options;
}

Points<2> some_points(std::size_t n) {
    return make_shape("uniform", n, 1);
}

} // namespace

TEST_CASE_TEMPLATE("columns: each is what it is alone", K, DOCTEST_TEST_POINT_KERNELS) {
    Runtime runtime({2, 0, "", false});
    for (const std::size_t n_targets : {0, 300}) {
        CAPTURE(n_targets);
        check_kernel<K>(runtime, options(TreeKind::pyramid), n_targets);
        check_kernel<K>(runtime, options(TreeKind::pyramid, 16), n_targets);
        check_kernel<K>(runtime, options(TreeKind::orthtree), n_targets);
        check_kernel<K>(runtime, {.method = Method::direct, .tolerance = 1e-5}, n_targets);
    }
}

TEST_CASE("columns: components are visited column by column, of constants, too") {
    const starfmm::ColumnsOf<starfmm::WithGradient<double>> values{
        {{0, {1, 2}}, {3, {4, 5}}, {6, {7, 8}}, {9, {10, 11}}}};
    std::vector<double> seen;
    visit_components(values, [&](int c, double part) {
        CHECK(c == static_cast<int>(seen.size()));
        seen.push_back(part);
    });
    CHECK(seen == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("columns: complex strengths of a kernel of real ones") {
    Runtime runtime({}, Execution::in_order);
    Plan plan(runtime, kernel_set<HarmonicDouble>(), some_points(2000), options(TreeKind::pyramid));
    Plan complex(
        runtime, kernel_set<HarmonicComplex>(), some_points(2000), options(TreeKind::pyramid)
    );
    auto columns = make_columns(3, 2000, starfmm::StrengthType::complex);
    columns[1].im.clear();
    const auto by_real = plan.evaluate(columns);
    const auto by_complex = complex.evaluate(columns);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        CHECK(difference(by_real[c], by_complex[c]) <= 1e-13);
    }
}

TEST_CASE("columns: each has a range of its own") {
    Runtime runtime({}, Execution::in_order);
    Plan plan(runtime, kernel_set<HarmonicDouble>(), some_points(900), options(TreeKind::pyramid));
    auto columns = make_columns(4, 900, starfmm::StrengthType::real);
    const auto expected = plan.evaluate(columns);
    const double scales[]{1, 1e-300, 1, 1e290};
    for (std::size_t c = 0; c < columns.size(); ++c) {
        std::ranges::for_each(columns[c].re, [&](double& q) { q *= scales[c]; });
    }
    auto scaled = plan.evaluate(columns);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        CAPTURE(c);
        for (auto* part : {&scaled[c].re, &scaled[c].im}) {
            std::ranges::for_each(*part, [&](double& phi) { phi /= scales[c]; });
        }
        CHECK(difference(scaled[c], expected[c]) <= 1e-13);
    }
}

TEST_CASE("columns: none, and room that is used again") {
    Runtime runtime({}, Execution::in_order);
    Plan plan(runtime, kernel_set<HarmonicDouble>(), some_points(500), options(TreeKind::pyramid));
    CHECK(plan.evaluate(std::vector<Strengths>()).empty());
    const auto columns = make_columns(2, 500, starfmm::StrengthType::real);
    std::vector<Potentials> room(2);
    plan.evaluate(columns, room);
    const double* const before = room[1].re.data();
    plan.evaluate(columns, room);
    CHECK(room[1].re.data() == before);
}

TEST_CASE("columns: what is wrong is named with its right-hand side") {
    Runtime runtime({}, Execution::in_order);
    Plan plan(runtime, kernel_set<HarmonicDouble>(), some_points(500), options(TreeKind::pyramid));
    auto columns = make_columns(3, 500, starfmm::StrengthType::real);
    std::vector<Potentials> room(2);
    CHECK_THROWS_WITH_AS(
        plan.evaluate(columns, room), "3 right-hand sides, but room for 2 results", InputError
    );
    columns[1].re[7] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS(
        plan.evaluate(columns),
        "strengths of right-hand side 2[7] = nan: must be finite",
        InputError
    );
    columns[1].re.pop_back();
    CHECK_THROWS_WITH_AS(
        plan.evaluate(columns),
        "strengths of right-hand side 2: 499 values, must be 500, as many as sources",
        InputError
    );
    columns.pop_back();
    columns[1] = columns[0];
    CHECK(plan.evaluate(columns).size() == 2); // nothing has happened to the plan
}
