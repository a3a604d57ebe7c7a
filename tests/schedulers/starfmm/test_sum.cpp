// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/plug_in.hpp"
#include "starfmm/starfmm.hpp"
#include "tests/kernels/counting_pairs.hpp"
#include "tests/support/random_numbers.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

using starfmm::ArrayView;
using starfmm::Choices;
using starfmm::ConstArrayView;
using starfmm::Context;
using starfmm::Errors;
using starfmm::Gravity;
using starfmm::Harmonic2d;
using starfmm::InputError;
using starfmm::Kernel;
using starfmm::Laplace3d;
using starfmm::Log2d;
using starfmm::Median;
using starfmm::MeshLeaf;
using starfmm::Method;
using starfmm::Planning;
using starfmm::Plummer;
using starfmm::Precision;
using starfmm::Report;
using starfmm::Spline;
using starfmm::Sum;
using starfmm::SumOptions;
using starfmm::TreeKind;

namespace {

using Numbers = std::vector<double>;

Numbers points_for(const Kernel& kernel, std::size_t n, std::uint64_t seed = 1) {
    return random_numbers(n * static_cast<std::size_t>(kernel.shape().dimension), seed);
}

Numbers strengths_for(const Kernel& kernel, std::size_t n, std::uint64_t seed = 2) {
    const bool are_masses = kernel.shape().name == "gravity";
    return random_numbers(n * kernel.shape().strengths, seed, are_masses ? 0.5 : -1);
}

double largest_difference(const Numbers& a, const Numbers& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

/// Sums and checks. \returns the report
Report check_sum(Context& context, const Kernel& kernel, SumOptions options, std::size_t n) {
    const Numbers x = points_for(kernel, n);
    const Numbers q = strengths_for(kernel, n);
    options.sources = x;
    Sum sum(context, kernel, options);
    Numbers values = sum(q);
    REQUIRE(values.size() == n * kernel.shape().n_values());
    const Errors errors = sum.check(q, values, 300);
    std::ostringstream text;
    text << sum.report() << errors;
    CAPTURE(text.str());
    CHECK(errors.checked == 300);
    CHECK(errors.are_allowed);
    // the check sees values that are not
    const double off = 1 + 2 * std::max(options.tolerance.value(), options.tolerance.p99());
    std::ranges::transform(values, values.begin(), [off](double value) { return off * value; });
    CHECK(!sum.check(q, values, 300).are_allowed);
    return sum.report();
}

} // namespace

TEST_CASE("sum: every kernel keeps its tolerance, by expansions and of every pair") {
    Context context;
    const std::vector<Kernel> kernels{
        Log2d{}, Log2d{.gradient = true}, Harmonic2d{}, Harmonic2d{.complex_strengths = true}};
    for (const Kernel& kernel : kernels) {
        CAPTURE(kernel.shape().name);
        for (const Method method : {Method::fmm, Method::direct}) {
            const Report report =
                check_sum(context, kernel, {.tolerance = 1e-8, .method = method}, 3000);
            CHECK(report.method == method);
        }
    }
    for (const bool gradient : {false, true}) {
        for (const double tolerance : {1e-3, 1e-9}) {
            const SumOptions options{.tolerance = tolerance, .method = Method::fmm};
            const Report report =
                check_sum(context, Laplace3d{.gradient = gradient}, options, 3000);
            CHECK(report.method == Method::fmm);
            CHECK(report.tree == TreeKind::orthtree);
        }
    }
}

TEST_CASE("sum: gravity keeps tolerances of the median and in L2") {
    Context context;
    const std::vector<Kernel> kernels{
        Gravity{},
        Gravity{.softening = Plummer{1e-2}, .potential = true},
        Gravity{.softening = Spline{1e-2}, .g = -6.67, .potential = true}};
    for (const Kernel& kernel : kernels) {
        check_sum(context, kernel, {.tolerance = Median{1e-3, 1e-2}}, 5000);
        check_sum(context, kernel, {.tolerance = 1e-4}, 5000);
        const Report report =
            check_sum(context, kernel, {.tolerance = 1e-9, .method = Method::direct}, 3000);
        CHECK(report.method == Method::direct);
    }
    // a tolerance that no tree of softened bodies has is kept all the same
    const Report report = check_sum(context, kernels[1], {.tolerance = 1e-10}, 4000);
    CHECK(report.method == Method::direct);
}

TEST_CASE("sum: values do not depend on how arrays lie") {
    Context context;
    constexpr std::size_t n = 2000;
    const Kernel kernel = Laplace3d{.gradient = true};
    const Numbers x = points_for(kernel, n);
    const Numbers q = strengths_for(kernel, n);
    const SumOptions common{.tolerance = 1e-6, .method = Method::direct};
    SumOptions options = common;
    options.sources = x;
    const Numbers expected = Sum(context, kernel, options)(q);

    Numbers columns(3 * n);
    std::vector<std::array<double, 3>> rows(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
            columns[d * n + i] = rows[i][d] = x[3 * i + d];
        }
    }
    options.sources = rows;
    CHECK(Sum(context, kernel, options)(q) == expected);
    options.sources = ConstArrayView(columns.data(), {n, 3}, {1, n});
    Sum sum(context, kernel, options);
    CHECK(sum(q) == expected);

    // values in Fortran's order, in single precision
    std::vector<float> values(4 * n);
    sum(q, ArrayView(values.data(), {n, 4}, {1, n}));
    for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(values[2 * n + i] == static_cast<float>(expected[4 * i + 2]));
    }
}

TEST_CASE("sum: points of single precision with a fourth number are taken as they lie") {
    Context context;
    constexpr std::size_t n = 3000;
    std::mt19937_64 random(3);
    std::vector<float> xyzw(4 * n);
    std::ranges::generate(xyzw, [&] {
        return std::uniform_real_distribution<float>(0, 1)(random);
    });
    const Numbers q = random_numbers(n, 4, -1);
    Sum sum(context, Laplace3d{}, {.sources = ConstArrayView(xyzw.data(), {n, 3}, {4, 1})});
    CHECK(sum.check(q, sum(q)).are_allowed);
}

TEST_CASE("sum: targets of their own, several right-hand sides, and points that move") {
    Context context;
    constexpr std::size_t n = 2500;
    constexpr std::size_t m = 700;
    for (const Kernel& kernel : {Kernel(Log2d{.gradient = true}), Kernel(Laplace3d{})}) {
        CAPTURE(kernel.shape().name);
        const Numbers x = points_for(kernel, n);
        const Numbers y = points_for(kernel, m, 5);
        const Numbers q = random_numbers(3 * n, 6, -1);
        const ConstArrayView three(q.data(), {3, n});
        Sum sum(context, kernel, {.sources = x, .targets = y, .tolerance = 1e-7});
        CHECK(sum.n_sources() == n);
        CHECK(sum.n_targets() == m);
        const std::size_t n_values = m * kernel.shape().n_values();
        const Numbers all = sum(three);
        REQUIRE(all.size() == 3 * n_values);
        const ConstArrayView values(all.data(), {3, m, kernel.shape().n_values()});
        CHECK(sum.check(three, values).are_allowed);
        const Numbers alone = sum(ConstArrayView(q.data() + n, {n}));
        const std::span<const double> column = std::span(all).subspan(n_values, n_values);
        const Numbers second(column.begin(), column.end());
        CHECK(largest_difference(alone, second) < 1e-9 * n);

        const Numbers moved = points_for(kernel, n, 7);
        sum.move(moved); // the targets stay
        const ConstArrayView first(q.data(), {n});
        CHECK(sum.check(first, sum(first)).are_allowed);
        Sum anew(context, kernel, {.sources = moved, .targets = y, .tolerance = 1e-7});
        CHECK(largest_difference(sum(first), anew(first)) < 1e-9 * n);
    }
}

TEST_CASE("sum: what is copied lies in memory that is used again") {
    Context context; // GPUs get pages that are locked from the second time on
    const std::size_t n = scene_size(120'000);
    const Numbers q = random_numbers(n, 9, -1);
    const Numbers first = random_numbers(2 * n, 1);
    Sum sum(context, Log2d{.gradient = true}, {.sources = first, .tolerance = 1e-3});
    for (std::uint64_t seed = 2; seed < 5; ++seed) {
        sum.move(random_numbers(2 * n, seed));
        const Numbers values = sum(q);
        CHECK(sum.check(q, values, 50).are_allowed);
        Numbers again(3 * n);
        sum(q, again);
        CHECK(largest_difference(again, values) < 1e-9 * static_cast<double>(n));
    }
}

TEST_CASE("sum: parts of values go to arrays of their own") {
    Context context;
    constexpr std::size_t n = 300;
    const Kernel kernel = Laplace3d{.gradient = true};
    const Numbers q = random_numbers(2 * n, 6, -1);
    const ConstArrayView two(q.data(), {2, n});
    Sum sum(context, kernel, {.sources = points_for(kernel, n)});
    const Numbers whole = sum(two);
    Numbers potential(2 * n);
    std::vector<float> gradient(6 * n); // [2][3][n]
    const std::vector<ArrayView> parts{
        ArrayView(potential.data(), {2, n}), ArrayView(gradient.data(), {2, n, 3}, {3 * n, 1, n})};
    sum(two, parts);
    for (std::size_t i = 0; i < 2 * n; ++i) {
        CHECK(potential[i] == whole[4 * i]);
        for (std::size_t d = 0; d < 3; ++d) {
            CHECK(gradient[(i / n * 3 + d) * n + i % n] == float(whole[4 * i + 1 + d]));
        }
    }
    const std::span all(parts);
    CHECK(refusal([&] { sum(two, all.first(1)); }).starts_with("parts: 1 arrays, where a value"));
    const ArrayView swapped[] = {parts[1], parts[0]};
    CHECK(refusal([&] { sum(two, swapped); }).starts_with("potential: has the extents (2, 300, 3)")
    );
    CHECK(refusal([&] { sum(std::span(q).first(n), all); }).starts_with("potential: room for 2"));
}

TEST_CASE("sum: terms that cancel keep the tolerance") {
    Context context;
    constexpr std::size_t n = 20'000;
    Numbers x = random_numbers(3 * n, 8);
    Numbers q(n, 1.0);
    for (std::size_t i = 1; i < n; i += 2) { // pairs of opposite sign, close to each other
        q[i] = -1;
        for (std::size_t d = 0; d < 3; ++d) {
            x[3 * i + d] = x[3 * (i - 1) + d] + 1e-3;
        }
    }
    Numbers far = random_numbers(300, 9);
    std::ranges::transform(far, far.begin(), [](double each) { return each + 10; });
    Sum sum(context, Laplace3d{.gradient = true}, {.sources = x, .targets = far});
    const Numbers ones(n, 1.0);
    CHECK(sum.check(ones, sum(ones)).are_allowed);
    CHECK(sum.check(q, sum(q)).are_allowed); // the same sum, of strengths that ask for more
    CHECK(sum.check(ones, sum(ones)).are_allowed);
}

TEST_CASE("sum: a check allows what rounding leaves of terms that cancel, and no more") {
    Context context;
    constexpr std::size_t n = 1000;
    const Numbers y = random_numbers(300, 1);
    const Numbers x(3 * n, 2.0); // at one place
    Numbers q = random_numbers(n, 2, -1);
    q.back() -= std::accumulate(q.begin(), q.end(), 0.0);
    Sum sum(context, Laplace3d{.gradient = true}, {.sources = x, .targets = y});
    Numbers values = sum(q);
    const Errors errors = sum.check(q, values);
    CHECK(errors.are_allowed);
    CHECK(errors.parts[0].rounding > 1e-3);
    CHECK(errors.parts[1].rounding > 1e-3);
    for (double& value : values) {
        value += 1e-9;
    }
    CHECK_FALSE(sum.check(q, values).are_allowed);
    const Numbers ones(n, 1.0);
    CHECK(sum.check(ones, sum(ones)).parts[0].rounding < 1e-14);
}

TEST_CASE("sum: neutral charges at few targets keep the tolerance") {
    Context context;
    constexpr std::size_t n = 1000;
    constexpr std::size_t m = 100;
    for (std::uint64_t scene = 1900; scene < 2300; ++scene) {
        CAPTURE(scene);
        const Numbers x = random_numbers(3 * n, 3 * scene);
        Numbers y = random_numbers(3 * m, 3 * scene + 1);
        for (std::size_t i = 0; i < m; ++i) { // the farther off, the more the terms cancel
            y[3 * i] += static_cast<double>(scene) / 3000;
        }
        Numbers q = random_numbers(n, 3 * scene + 2, -1);
        const double mean = std::accumulate(q.begin(), q.end(), 0.0) / n;
        std::ranges::transform(q, q.begin(), [mean](double each) { return each - mean; });
        Sum sum(context, Laplace3d{}, {.sources = x, .targets = y, .method = Method::direct});
        CHECK(sum.check(q, sum(q), m).are_allowed);
    }
}

TEST_CASE("sum: a precision that is named gives way where terms cancel further than it serves") {
    Context context({.cores = 1, .gpus = 0});
    constexpr std::size_t n = 3000;
    Numbers x = random_numbers(3 * n, 1);
    const Numbers random = random_numbers(n, 2, -1);
    Numbers q = random;
    q.back() -= std::accumulate(q.begin(), q.end(), 0.0);
    Numbers far = random_numbers(1200, 9); // sees no more than a dipole
    std::ranges::transform(far, far.begin(), [](double each) { return 300 * (each + 1); });
    for (const Precision asked : {Precision::mixed_precision, Precision::single_precision}) {
        CAPTURE(static_cast<int>(asked));
        const SumOptions options{
            .sources = x, .targets = far, .tolerance = 2e-5, .precision = asked};
        Sum sum(context, Laplace3d{}, options);
        CHECK(sum.check(q, sum(q)).are_allowed);
        CHECK(sum.report().precision == Precision::double_precision);
        CHECK(sum.report().why_precision.ends_with(" of these sums"));
        Sum near(context, Laplace3d{}, {.sources = x, .tolerance = 2e-5, .precision = asked});
        CHECK(near.check(random, near(random)).are_allowed);
        CHECK(near.report().precision == asked);
        CHECK(near.report().why_precision.empty());
    }
    for (double& each : x) {
        each += 1e6;
    }
    Sum offset(
        context,
        Laplace3d{},
        {.sources = x, .tolerance = 2e-5, .precision = Precision::single_precision}
    );
    CHECK(offset.check(random, offset(random)).are_allowed);
    CHECK(offset.report().precision == Precision::mixed_precision);
    CHECK(offset.report().why_precision.starts_with("points lie 1e+06 times"));
}

TEST_CASE("sum: near fields are those of touching boxes") {
    Context context;
    for (const Kernel& kernel :
         {Kernel(Log2d{.gradient = true}),
          Kernel(Harmonic2d{}),
          Kernel(Laplace3d{.gradient = true})}) {
        CAPTURE(kernel.shape().name);
        const std::size_t n = 3000;
        const Numbers x = points_for(kernel, n);
        const Numbers y = points_for(kernel, 500, 7);
        const Numbers q = strengths_for(kernel, n);
        SumOptions options{.sources = x, .method = Method::near_field, .choices = {.levels = 3}};
        Sum near(context, kernel, options);
        const Numbers values = near(q);
        CHECK(near.check(q, values, 300).are_allowed);
        CHECK(near.report().levels == 3);
        CHECK(near.choices().levels == 3);
        options.targets = y;
        Sum at_others(context, kernel, options);
        CHECK(at_others.check(q, at_others(q)).are_allowed);
        options.choices.levels = 1; // all boxes touch
        Sum whole(context, kernel, options);
        Sum direct(
            context,
            kernel,
            {.sources = x,
             .targets = y,
             .method = Method::direct,
             .precision = Precision::double_precision}
        );
        CHECK(largest_difference(whole(q), direct(q)) < 1e-9 * n);
    }
    const Numbers x = random_numbers(30, 1);
    CHECK_THROWS_WITH_AS(
        Sum(context, Log2d{}, {.sources = x, .method = Method::near_field}),
        "levels: a near field is of boxes of one level, which has no default",
        InputError
    );
    CHECK_THROWS_AS(
        Sum(context,
            Gravity{},
            {.sources = x, .method = Method::near_field, .choices = {.levels = 1}}),
        InputError
    );
}

TEST_CASE("sum: a plugged in kernel of pairs alone is summed directly, or in a near field") {
    Context context;
    const Kernel kernel = starfmm::plug_in<CountingPairs>();
    const std::size_t n = 2000;
    const Numbers x = random_numbers(3 * n, 1);
    const Numbers q(n, 1);
    Sum all(context, kernel, {.sources = x});
    CHECK(all(q) == Numbers(n, n - 1.0));
    CHECK(all.report().method == Method::direct);
    Sum near(
        context, kernel, {.sources = x, .method = Method::near_field, .choices = {.levels = 2}}
    );
    const Numbers counts = near(q);
    CHECK(near.check(q, counts).are_allowed);
    CHECK(*std::ranges::max_element(counts) < n - 1.0);
    CHECK_THROWS_WITH_AS(
        Sum(context, kernel, {.sources = x, .method = Method::fmm}),
        doctest::Contains("counting_pairs has no expansions"),
        InputError
    );
}

TEST_CASE("sum: strengths that cancel ask for the same each time") {
    Context context;
    const std::size_t n = 4000;
    const Numbers x = random_numbers(3 * n, 1);
    Numbers q(n);
    for (std::size_t i = 0; i < n; ++i) {
        q[i] = i % 2 == 0 ? 1 : -1;
    }
    Numbers pairs(x); // opposite strengths beside each other
    for (std::size_t i = 0; i + 1 < n; i += 2) {
        for (std::size_t d = 0; d < 3; ++d) {
            pairs[3 * (i + 1) + d] = pairs[3 * i + d] + 1e-3;
        }
    }
    Sum sum(context, Laplace3d{}, {.sources = pairs, .method = Method::fmm});
    CHECK(sum.check(q, sum(q), 200).are_allowed);
    const Report first = sum.report();
    for (int i = 0; i < 4; ++i) {
        static_cast<void>(sum(q));
    }
    CHECK(sum.report().order == first.order);
    CHECK(sum.report().method == first.method);
}

TEST_CASE("sum: targets that all have one value keep the tolerance") {
    Context context;
    constexpr std::size_t n = 5001;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Numbers x = random_numbers(3 * n, seed);
        std::ranges::transform(x, x.begin(), [](double each) { return 5 + 1e-7 * each; });
        Numbers far = x;
        std::ranges::transform(far, far.begin(), [](double each) { return each + 0.3; });
        const Numbers q = random_numbers(n, 100 + seed, -1);
        Sum sum(context, Laplace3d{}, {.sources = x, .targets = far, .tolerance = 1e-6});
        const Errors errors = sum.check(q, sum(q), 100);
        CHECK(errors.are_allowed);
        CHECK(errors.parts.front().l2 < 5e-7); // pairs in single may take half of it
    }
}

TEST_CASE("sum: where terms cancel beyond any order, every pair is summed, and the report says why"
) {
    Context context;
    constexpr std::size_t n = 3000;
    const Numbers x = random_numbers(3 * n, 1);
    Numbers q = random_numbers(n, 2, -1);
    Numbers far = random_numbers(300, 9);
    std::ranges::transform(far, far.begin(), [](double each) { return 1e4 * (each + 1); });
    q.back() = 0;
    double total = 0;
    for (const double each : q) {
        total += each;
    }
    q.back() = -total; // from afar, the charges cancel
    const SumOptions options{
        .sources = x, .targets = far, .tolerance = 1e-10, .method = Method::fmm};
    Sum sum(context, Laplace3d{}, options);
    CHECK(sum.check(q, sum(q)).are_allowed);
    const Report report = sum.report();
    CHECK(report.method == Method::direct);
    CHECK(report.why_direct.starts_with("terms are "));
}

TEST_CASE("sum: a report says what was chosen, and choices choose it again") {
    Context context({.cores = 1, .gpus = 0});
    constexpr std::size_t n = 5000;
    const Numbers x = random_numbers(3 * n, 1);
    const Numbers q = random_numbers(n, 2, -1);
    Sum sum(context, Laplace3d{}, {.sources = x, .tolerance = 1e-5, .method = Method::fmm});
    const Numbers values = sum(q);
    const Report report = sum.report();
    CHECK(report.kernel == "laplace3d");
    CHECK(report.n_sources == n);
    CHECK(report.order > 0);
    CHECK(report.leaves > 1);
    CHECK(report.reachable_tolerance <= 1e-5);
    CHECK(report.plan_s > 0);
    CHECK(report.evaluate_s > 0);
    CHECK(report.cores == 1);
    std::ostringstream text;
    text << report;
    CHECK(text.str().find("an adaptive tree of ") != std::string::npos);

    Choices choices = sum.choices();
    REQUIRE(choices.order.has_value());
    CHECK(*choices.order == report.order);
    SumOptions options{
        .sources = x,
        .tolerance = 1e-5,
        .method = Method::fmm,
        .precision = report.precision,
        .choices = choices};
    CHECK(largest_difference(Sum(context, Laplace3d{}, options)(q), values) < 1e-9);
    choices.order = *choices.order + 3;
    options.choices = choices;
    Sum finer(context, Laplace3d{}, options);
    CHECK(finer.report().order == report.order + 3);
}

TEST_CASE("sum: choices of gravity choose it again, to the bit") {
    Context context({.cores = 1, .gpus = 0});
    constexpr std::size_t n = 9000;
    const Numbers x = random_numbers(3 * n, 1);
    const Numbers m = random_numbers(n, 2, 0.5);
    const starfmm::Kernel kernel = Gravity{.softening = Plummer{1e-3}, .potential = true};
    for (const double tolerance : {1e-2, 1e-3, 1e-5}) {
        CAPTURE(tolerance);
        SumOptions options{.sources = x, .tolerance = tolerance, .method = Method::fmm};
        Sum sum(context, kernel, options);
        const Numbers values = sum(m);
        options.choices = sum.choices();
        REQUIRE(options.choices.order.has_value());
        Sum again(context, kernel, options);
        CHECK(again(m) == values);
        CHECK(again.choices().heavy_theta == options.choices.heavy_theta);
    }
}

TEST_CASE("sum: direct sums in a fixed order have the same bits, block by block") {
    Context context({.cores = 2, .gpus = 0});
    constexpr std::size_t n = 3000;
    const Numbers x = random_numbers(3 * n, 1);
    const Numbers m = random_numbers(n, 2, 0.5);
    SumOptions options{.sources = x, .method = Method::direct};
    options.choices.summation = starfmm::SummationOrder::fixed;
    options.choices.target_block = 512;
    options.choices.source_block = 512;
    for (const starfmm::Kernel& kernel : {starfmm::Kernel(Gravity{}), {Laplace3d{}}}) {
        CAPTURE(kernel.shape().name);
        Sum sum(context, kernel, options);
        const Numbers first = sum(m);
        for (int i = 0; i < 3; ++i) {
            CHECK(sum(m) == first);
        }
    }
    options.choices.heavy_theta = 0.3;
    CHECK_THROWS_WITH_AS(
        Sum(context, Laplace3d{}, options),
        "heavy_theta: is of gravity alone; leave it out",
        InputError
    );
}

TEST_CASE("sum: strengths and values may be columns that are arrays of their own") {
    Context context;
    constexpr std::size_t n = 1500;
    const Kernel kernel = Laplace3d{.gradient = true};
    const Numbers q = random_numbers(2 * n, 4, -1);
    Sum sum(context, kernel, {.sources = points_for(kernel, n)});
    const Numbers expected = sum(ConstArrayView(q.data(), {2, n}));
    const std::span all(q);
    const auto given = ConstArrayView::of_columns({all.first(n), all.last(n)}, 2);
    std::vector<Numbers> values(8, Numbers(n));
    const auto found = ArrayView::of_columns({values.begin(), values.end()}, 2);
    sum(given, found);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        REQUIRE(values[i / (4 * n) * 4 + i % 4][i / 4 % n] == expected[i]);
    }
    CHECK(sum.check(given, found).are_allowed);

    // values may take the place of strengths
    Numbers in_place(q.begin(), q.begin() + n);
    std::vector<std::span<double>> columns(values.begin(), values.begin() + 4);
    columns[2] = in_place;
    const Numbers apart = sum(in_place); // by the bodies for one right-hand side
    sum(ConstArrayView::of_columns({in_place}), ArrayView::of_columns(columns));
    for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(in_place[i] == apart[4 * i + 2]);
    }
}

TEST_CASE("sum: coordinates may be arrays of their own, which stay where they are") {
    Context context;
    constexpr std::size_t n = 1500;
    const Kernel kernel = Laplace3d{.gradient = true};
    const Numbers rows = points_for(kernel, n);
    const Numbers q = random_numbers(n, 4, -1);
    std::array<Numbers, 3> x;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        x[i % 3].push_back(rows[i]);
    }
    SumOptions options{
        .sources = ConstArrayView::of_columns({x[0], x[1], x[2]}), .borrow_points = true};
    CHECK(Sum(context, kernel, options)(q) == Sum(context, kernel, {.sources = rows})(q));
    options.planning = Planning::on_demand;
    Sum late(context, kernel, options);
    x[1][7] += 0.5;
    Numbers moved = rows;
    moved[3 * 7 + 1] += 0.5;
    CHECK(late(q) == Sum(context, kernel, {.sources = moved})(q));

    CHECK_THROWS_WITH_AS(
        ConstArrayView::of_columns({x[0], rows}),
        "ArrayView: columns of 1500 and 4500 numbers: must be of one length",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        ConstArrayView::of_columns({x[0], x[1], x[2]}, 2),
        "ArrayView: each table takes the same number of columns, at least one",
        InputError
    );
    CHECK_THROWS_AS(static_cast<void>(options.sources.on_gpu(0)), InputError);
}

TEST_CASE("sum: planned on demand it is the same, and refuses points when it is evaluated") {
    Context context({.cores = 1});
    constexpr std::size_t n = 4000;
    const Numbers x = random_numbers(3 * n, 1);
    const Numbers moved = random_numbers(3 * n, 5);
    const Numbers q = random_numbers(n, 2, -1);
    SumOptions options{.sources = x, .method = Method::fmm, .planning = Planning::on_demand};
    Sum sum(context, Laplace3d{}, options);
    CHECK(sum.report().leaves == 0);
    CHECK(sum.mesh(0).empty());
    Sum planned(context, Laplace3d{}, {.sources = x, .method = Method::fmm});
    CHECK(sum(q) == planned(q));
    CHECK(sum.report().order == planned.report().order);
    sum.move(moved);
    CHECK(sum.report().leaves == 0);
    CHECK(sum.check(q, sum(q)).are_allowed);

    Numbers broken = x;
    broken[4] = std::numeric_limits<double>::quiet_NaN();
    sum.move(broken);
    const auto late = refusal([&] { static_cast<void>(sum(q)); });
    CHECK(late.find("sources.y[1] = ") != std::string::npos);
    sum.move(moved);
    CHECK(sum.check(q, sum(q)).are_allowed);
    options.choices.order = 65;
    CHECK(refusal([&] { const Sum refused(context, Laplace3d{}, options); }).starts_with("order"));
}

TEST_CASE("sum: prepared for some strengths, it looks at no others") {
    Context context;
    constexpr std::size_t n = 3000;
    const Numbers x = random_numbers(3 * n, 1);
    Numbers far = random_numbers(300, 9);
    std::ranges::transform(far, far.begin(), [](double each) { return 100 * (each + 1); });
    const Numbers ones(n, 1.0);
    Numbers neutral(n, 1.0);
    std::ranges::fill_n(neutral.begin(), n / 2, -1.0);
    const SumOptions options{
        .sources = x, .targets = far, .method = Method::fmm, .planning = Planning::on_demand};
    Sum sum(context, Laplace3d{}, options);
    sum.prepare(neutral);
    CHECK(sum.report().precision == Precision::double_precision);
    CHECK(sum.check(neutral, sum(neutral), 300).are_allowed);
    const Report careful = sum.report();
    sum.move(x);
    static_cast<void>(sum(ones));
    CHECK(sum.report().precision == Precision::double_precision);
    CHECK(sum.report().order == careful.order);

    Sum easy(context, Laplace3d{}, options);
    easy.prepare(ones);
    static_cast<void>(easy(neutral));
    CHECK(easy.report().order < careful.order);
    easy.prepare(neutral); // it plans again
    CHECK(easy.check(neutral, easy(neutral), 300).are_allowed);
    CHECK(easy.report().order == careful.order);
}

TEST_CASE("sum: its mesh is of the leaves that its report counts") {
    Context context;
    constexpr std::size_t n = 2000;
    const Numbers q = random_numbers(n, 2, -1);
    const Choices choices{.leaf_size = 20, .groups = 4};
    for (const Kernel& kernel : {Kernel(Log2d{}), Kernel(Laplace3d{})}) {
        CAPTURE(kernel.shape().name);
        const Numbers x = points_for(kernel, n);
        Sum sum(
            context,
            kernel,
            {.sources = x, .tolerance = 1e-3, .method = Method::fmm, .choices = choices}
        );
        const Report report = sum.report();
        CHECK(report.groups == 4);
        CHECK(report.chunks >= 1);
        const bool has_octree = report.tree == TreeKind::orthtree;
        CHECK(report.leaf_size == (has_octree ? 20 : 0));
        CHECK(report.roots == (has_octree ? 4 : 0));
        const std::vector<MeshLeaf> leaves = sum.mesh(5);
        CHECK(leaves.size() == report.leaves);
        CHECK(std::ranges::count(leaves, MeshLeaf::Relation::self, &MeshLeaf::relation) == 1);
        CHECK(leaves[5].relation == MeshLeaf::Relation::self);
        CHECK(refusal([&] { sum.mesh(report.leaves); }).starts_with("leaf = "));
        Sum direct(context, kernel, {.sources = x, .method = Method::direct});
        CHECK(direct.mesh(0).empty());
    }
    CHECK(Sum(context, Gravity{}, {.sources = random_numbers(30, 1)}).mesh(0).empty());
}

TEST_CASE("sum: bad input is refused by name, and leaves values as they were") {
    Context context;
    constexpr std::size_t n = 100;
    const Numbers x = random_numbers(3 * n, 1);
    const Numbers q(n, 1.0);
    const auto sum_of = [&](const Kernel& kernel, const SumOptions& options) {
        return refusal([&] { const Sum sum(context, kernel, options); });
    };
    CHECK(sum_of(Laplace3d{}, {}) == "sources: has no points");
    CHECK(sum_of(Laplace3d{}, {.sources = q}).starts_with("sources: has the extents (100)"));
    CHECK(sum_of(Laplace3d{}, {.sources = x, .targets = q}).starts_with("targets: has the ext"));
    CHECK(sum_of(Laplace3d{}, {.sources = x, .tolerance = 0.0}).starts_with("tolerance = 0"));
    CHECK(sum_of(Laplace3d{}, {.sources = x, .tolerance = Median{1e-3}}).starts_with("tolerance: ")
    );
    const Choices own{.own_error = 1e-3};
    CHECK(sum_of(Log2d{}, {.sources = q, .choices = own}).starts_with("own_error: "));
    const auto mixed = Precision::mixed_precision;
    CHECK(sum_of(Log2d{}, {.sources = q, .precision = mixed}).starts_with("precision: mixed"));
    CHECK(sum_of(Gravity{.softening = Plummer{-1}}, {.sources = x}).starts_with("epsilon = -1"));
    Numbers broken = x;
    broken[4] = std::numeric_limits<double>::quiet_NaN();
    CHECK(sum_of(Gravity{}, {.sources = broken}).starts_with("sources: y[1] = "));

    Sum sum(context, Laplace3d{}, {.sources = x});
    Numbers values(n, -7.0);
    Numbers infinite = q;
    infinite[3] = std::numeric_limits<double>::infinity();
    Sum gravity(context, Gravity{}, {.sources = x});
    const auto pulled = refusal([&] { static_cast<void>(gravity(infinite)); });
    CHECK(pulled.starts_with("masses[3]"));
    CHECK(refusal([&] { sum(infinite, values); }).find("strengths[3]") != std::string::npos);
    CHECK(refusal([&] { sum(x, values); }).starts_with("strengths: has the extents (300)"));
    CHECK(values == Numbers(n, -7.0));
    CHECK(refusal([&] { sum(q, infinite = Numbers(n + 1)); }).starts_with("values: has the ext"));
    sum(q, values); // the sum is whole
    CHECK(sum.check(q, values).are_allowed);
    CHECK(refusal([&] { static_cast<void>(sum.check(q, values, 0)); }).starts_with("n_targets = 0")
    );
}
