// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/starfmm.h"
#include "starfmm/starfmm.hpp"
#include "tests/support/random_numbers.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Numbers = std::vector<double>;

struct Destroy {
    void operator()(starfmm_context* context) const { starfmm_context_destroy(context); }

    void operator()(starfmm_sum* sum) const { starfmm_sum_destroy(sum); }
};

using ContextHandle = std::unique_ptr<starfmm_context, Destroy>;
using SumHandle = std::unique_ptr<starfmm_sum, Destroy>;

ContextHandle start() {
    starfmm_context* context = nullptr;
    REQUIRE(starfmm_context_create(1, 0, &context) == STARFMM_OK);
    return ContextHandle(context);
}

starfmm_kernel kernel_named(const char* name) {
    starfmm_kernel kernel{};
    kernel.size = sizeof kernel;
    kernel.name = name;
    return kernel;
}

starfmm_options with_tolerance(double tolerance) {
    starfmm_options options{};
    options.size = sizeof options;
    options.tolerance = tolerance;
    return options;
}

starfmm_const_array read(const Numbers& numbers, std::size_t n_components) {
    return starfmm_read_doubles(numbers.data(), numbers.size() / n_components, n_components);
}

starfmm_array write(Numbers& numbers, std::size_t n_components) {
    return starfmm_write_doubles(numbers.data(), numbers.size() / n_components, n_components);
}

SumHandle plan(
    const ContextHandle& context,
    const starfmm_kernel& kernel,
    const starfmm_const_array& sources,
    const starfmm_options& options
) {
    starfmm_sum* sum = nullptr;
    const int status =
        starfmm_sum_create(context.get(), &kernel, &sources, nullptr, &options, &sum);
    REQUIRE_MESSAGE(status == STARFMM_OK, starfmm_last_error());
    return SumHandle(sum);
}

starfmm_errors checked(const SumHandle& sum, starfmm_const_array q, starfmm_const_array values) {
    starfmm_errors errors{};
    errors.size = sizeof errors;
    const int status = starfmm_sum_check(sum.get(), &q, &values, 100, 1, &errors);
    REQUIRE_MESSAGE(status == STARFMM_OK, starfmm_last_error());
    return errors;
}

/// The message of a call that refuses its input.
std::string refused(int status) {
    CHECK(status == STARFMM_BAD_INPUT);
    return starfmm_last_error();
}

/// What differs from a call that is right, and what is said of it.
struct Misuse {
    void (*spoil)(starfmm_kernel&, starfmm_const_array&, starfmm_options&);
    std::string message;
};

} // namespace

TEST_CASE("C: sums of all kernels keep their tolerances") {
    const ContextHandle context = start();
    int cores = 0;
    int gpus = -1;
    REQUIRE(starfmm_context_workers(context.get(), &cores, &gpus) == STARFMM_OK);
    CHECK(cores == 1);
    CHECK(gpus == 0);

    struct Case {
        starfmm_kernel kernel;
        std::size_t dimension, n_strengths, n_values;
        std::vector<std::string> parts;
    };

    std::vector<Case> cases{
        {kernel_named("log2d"), 2, 1, 3, {"potential", "gradient"}},
        {kernel_named("harmonic2d"), 2, 2, 2, {"potential"}},
        {kernel_named("laplace3d"), 3, 1, 4, {"potential", "gradient"}},
        {kernel_named("gravity"), 3, 1, 4, {"acceleration", "potential"}}};
    cases[0].kernel.gradient = cases[2].kernel.gradient = 1;
    cases[1].kernel.complex_strengths = 1;
    cases[3].kernel.potential = 1;
    cases[3].kernel.epsilon = 1e-2;
    cases[3].kernel.softening = STARFMM_SOFTENING_SPLINE;
    const std::size_t n = 3000;
    for (const Case& each : cases) {
        CAPTURE(std::string(each.kernel.name));
        const Numbers x = random_numbers(each.dimension * n, 1);
        const Numbers q = random_numbers(each.n_strengths * n, 2, 0.5);
        Numbers values(each.n_values * n);
        const SumHandle sum =
            plan(context, each.kernel, read(x, each.dimension), with_tolerance(1e-5));
        const starfmm_const_array strengths = read(q, each.n_strengths);
        const starfmm_array room = write(values, each.n_values);
        REQUIRE(starfmm_sum_evaluate(sum.get(), &strengths, &room) == STARFMM_OK);
        const starfmm_errors errors = checked(sum, strengths, read(values, each.n_values));
        CHECK(errors.are_allowed == 1);
        CHECK(errors.n_checked == 100);
        REQUIRE(errors.n_parts == static_cast<int>(each.parts.size()));
        for (std::size_t i = 0; i < each.parts.size(); ++i) {
            CHECK(errors.parts[i].name == each.parts[i]);
            CHECK(errors.parts[i].l2 < 30 * 1e-5); // gradients in space may have 30 times
        }
    }
}

TEST_CASE("C: floats, strides, right-hand sides and targets are those of the views") {
    const ContextHandle context = start();
    const std::size_t n = 900;
    const std::size_t m = 70;
    const std::size_t n_rhs = 3;
    const Numbers x = random_numbers(3 * n, 1);
    const Numbers y = random_numbers(3 * m, 2);
    const Numbers q = random_numbers(n_rhs * n, 3);
    starfmm_options options = with_tolerance(1e-6);
    options.method = STARFMM_METHOD_DIRECT;
    options.precision = STARFMM_PRECISION_DOUBLE;
    const starfmm_kernel kernel = kernel_named("laplace3d");
    const starfmm_const_array sources = read(x, 3);
    std::vector<float> columns(3 * m); // of targets: x, y and z one after the other
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
            columns[d * m + i] = static_cast<float>(y[3 * i + d]);
        }
    }
    starfmm_const_array targets = starfmm_read_floats(columns.data(), m, 3);
    targets.point_stride = 1;
    targets.component_stride = static_cast<std::ptrdiff_t>(m);
    starfmm_sum* made = nullptr;
    REQUIRE(
        starfmm_sum_create(context.get(), &kernel, &sources, &targets, &options, &made) ==
        STARFMM_OK
    );
    const SumHandle sum(made);
    starfmm_const_array strengths = starfmm_read_doubles(q.data(), n, 1);
    strengths.n_rhs = n_rhs;
    std::vector<float> values(n_rhs * 2 * m, -1); // every second number
    starfmm_array room = starfmm_write_floats(values.data(), m, 1);
    room.n_rhs = n_rhs;
    room.rhs_stride = static_cast<std::ptrdiff_t>(2 * m);
    room.point_stride = 2;
    REQUIRE(starfmm_sum_evaluate(sum.get(), &strengths, &room) == STARFMM_OK);
    double largest = 0; // error
    bool are_others_untouched = true;
    for (std::size_t i = 0; i < n_rhs * m; ++i) {
        const std::size_t target = i % m;
        double exact = 0;
        for (std::size_t j = 0; j < n; ++j) {
            std::array<double, 3> to{};
            for (std::size_t d = 0; d < 3; ++d) {
                to[d] = x[3 * j + d] - columns[d * m + target];
            }
            exact += q[i / m * n + j] / std::hypot(to[0], to[1], to[2]);
        }
        largest = std::max(largest, std::abs(values[2 * i] / exact - 1));
        are_others_untouched = are_others_untouched && values[2 * i + 1] == -1;
    }
    CHECK(largest < std::numeric_limits<float>::epsilon()); // twice what a float rounds by
    CHECK(are_others_untouched);
}

TEST_CASE("C: softening lengths of bodies' own") {
    const ContextHandle context = start();
    const std::size_t n = 300;
    const Numbers x = random_numbers(3 * n, 1);
    const Numbers masses = random_numbers(n, 2);
    const Numbers equal(n, 0.05);
    starfmm_kernel kernel = kernel_named("gravity");
    kernel.softening = STARFMM_SOFTENING_SPLINE;
    starfmm_options options = with_tolerance(1e-5);
    const starfmm_const_array lengths = read(equal, 1);
    options.lengths = &lengths;
    const auto values_of = [&] {
        const SumHandle sum = plan(context, kernel, read(x, 3), options);
        Numbers values(3 * n);
        const starfmm_const_array given = read(masses, 1);
        const starfmm_array room = write(values, 3);
        REQUIRE(starfmm_sum_evaluate(sum.get(), &given, &room) == STARFMM_OK);
        CHECK(checked(sum, given, read(values, 3)).are_allowed == 1);
        return values;
    };
    const Numbers by_lengths = values_of();
    options.lengths = nullptr;
    options.precision = STARFMM_PRECISION_DOUBLE;
    kernel.epsilon = 0.05;
    const Numbers by_one = values_of();
    for (std::size_t i = 0; i < 3 * n; ++i) {
        CHECK(by_lengths[i] == doctest::Approx(by_one[i]).epsilon(1e-10));
    }
    options.lengths = &lengths;
    const starfmm_const_array sources = read(x, 3);
    starfmm_sum* none = nullptr;
    const int status =
        starfmm_sum_create(context.get(), &kernel, &sources, nullptr, &options, &none);
    CHECK(refused(status).starts_with("epsilon: each body has"));
}

TEST_CASE("C: a near field, and moved points") {
    const ContextHandle context = start();
    const std::size_t n = 1200;
    starfmm_options options = with_tolerance(1e-6);
    options.method = STARFMM_METHOD_NEAR_FIELD;
    options.levels = 2;
    const SumHandle sum =
        plan(context, kernel_named("log2d"), read(random_numbers(2 * n, 1), 2), options);
    const Numbers moved = random_numbers(n, 2); // half as many
    const starfmm_const_array to = read(moved, 2);
    Numbers bad = moved;
    bad[5] = std::numeric_limits<double>::quiet_NaN();
    const starfmm_const_array to_bad = read(bad, 2);
    CHECK(refused(starfmm_sum_move(sum.get(), &to_bad, nullptr)).find("nan") != std::string::npos);
    REQUIRE(starfmm_sum_move(sum.get(), &to, nullptr) == STARFMM_OK);
    const Numbers q = random_numbers(n / 2, 3);
    Numbers values(n / 2);
    const starfmm_const_array strengths = read(q, 1);
    const starfmm_array room = write(values, 1);
    REQUIRE(starfmm_sum_evaluate(sum.get(), &strengths, &room) == STARFMM_OK);
    CHECK(checked(sum, strengths, read(values, 1)).are_allowed == 1);
}

TEST_CASE("C: what is wrong with a sum is said where it is made") {
    const ContextHandle context = start();
    const Numbers x = random_numbers(300, 1);
    const std::vector<Misuse> misuses{
        {[](auto& kernel, auto&, auto&) { kernel.name = "laplace4d"; },
         "kernel = laplace4d: no kernel has this name: did you mean laplace3d?; there are log2d, "
         "harmonic2d, laplace3d and gravity"},
        {[](auto& kernel, auto&, auto&) { kernel.name = nullptr; },
         "kernel.name = NULL: must be the name of a kernel"},
        {[](auto& kernel, auto&, auto&) { kernel.gradient = 2; },
         "kernel.gradient = 2: must be in [0, 1]"},
        {[](auto& kernel, auto&, auto&) { kernel.epsilon = 1; },
         "epsilon: no parameter of kernel laplace3d: there is gradient"},
        {[](auto& kernel, auto&, auto&) { kernel.size = 0; },
         "kernel.size = 0: must be that of the struct, " + std::to_string(sizeof(starfmm_kernel)) +
             " in this version"},
        {[](auto&, auto& sources, auto&) { sources.data = nullptr; },
         "sources.data = NULL: must point to the first number"},
        {[](auto&, auto& sources, auto&) { sources.number = 2; },
         "sources.number = 2: must be in [0, 1]"},
        {[](auto&, auto& sources, auto&) { sources.gpu = -1; },
         "sources.gpu = -1: must be 0 in host memory, or one more than CUDA's number of the GPU"},
        {[](auto&, auto& sources, auto&) { sources.n_rhs = 2; },
         "sources.n_rhs = 2: must be 1 of points"},
        {[](auto&, auto& sources, auto&) { sources.n_components = 2; },
         "sources: has the extents (100, 2), where (n, 3) is taken"},
        {[](auto&, auto&, auto& options) { options.method = 4; },
         "options.method = 4: must be in [0, 3]"},
        {[](auto&, auto&, auto& options) { options.precision = -1; },
         "options.precision = -1: must be in [0, 3]"},
        {[](auto&, auto&, auto& options) { options.levels = -1; },
         "options.levels = -1: must not be negative; 0: chosen"},
        {[](auto&, auto&, auto& options) { options.p99 = 1e-2; },
         "options.p99: is of tolerance_of = STARFMM_TOLERANCE_MEDIAN; must be 0"},
        {[](auto&, auto&, auto& options) { options.size = 12; },
         "options.size = 12: must be that of the struct, 72 in this version"}};
    for (const Misuse& misuse : misuses) {
        starfmm_kernel kernel = kernel_named("laplace3d");
        starfmm_const_array sources = read(x, 3);
        starfmm_options options = with_tolerance(1e-6);
        misuse.spoil(kernel, sources, options);
        int marker = 0;
        auto* sum = reinterpret_cast<starfmm_sum*>(&marker);
        CHECK(
            refused(starfmm_sum_create(context.get(), &kernel, &sources, nullptr, &options, &sum)
            ) == misuse.message
        );
        CHECK(sum == nullptr);
    }
    const starfmm_kernel kernel = kernel_named("laplace3d");
    const auto said_of = [&](const starfmm_const_array& sources, const starfmm_options& options) {
        starfmm_sum* sum = nullptr;
        return refused(starfmm_sum_create(context.get(), &kernel, &sources, nullptr, &options, &sum)
        );
    };
    for (const double tolerance : {-1e-6, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(said_of(read(x, 3), with_tolerance(tolerance)).starts_with("tolerance = "));
    }
    Numbers bad = x;
    bad[7] = std::numeric_limits<double>::quiet_NaN();
    CHECK(said_of(read(bad, 3), with_tolerance(1e-6)).find("nan") != std::string::npos);
    CHECK(!said_of(starfmm_read_doubles(x.data(), 0, 3), with_tolerance(1e-6)).empty());
}

TEST_CASE("C: no pointer that is NULL ends the program") {
    CHECK(refused(starfmm_context_create(1, 0, nullptr)) == "context = NULL: must not be");
    starfmm_context_destroy(nullptr);
    starfmm_sum_destroy(nullptr);
    int n = 0;
    CHECK(refused(starfmm_context_workers(nullptr, &n, &n)) == "context = NULL: must not be");
    const ContextHandle context = start();
    CHECK(
        refused(starfmm_context_workers(context.get(), nullptr, &n)) == "cores = NULL: must not be"
    );
    const Numbers x = random_numbers(300, 1);
    Numbers values(100);
    const starfmm_kernel kernel = kernel_named("laplace3d");
    const starfmm_const_array points = read(x, 3);
    const starfmm_const_array q = starfmm_read_doubles(x.data(), 100, 1);
    const starfmm_array room = write(values, 1);
    starfmm_sum* sum = nullptr;
    const auto create = [&](auto* in, auto* of, auto* sources, auto* into) {
        return refused(starfmm_sum_create(in, of, sources, nullptr, nullptr, into));
    };
    starfmm_context* const none = nullptr;
    CHECK(create(none, &kernel, &points, &sum) == "context = NULL: must not be");
    const starfmm_kernel* const no_kernel = nullptr;
    CHECK(
        create(context.get(), no_kernel, &points, &sum) == "kernel = NULL: must point to a struct"
    );
    const starfmm_const_array* const no_array = nullptr;
    CHECK(
        create(context.get(), &kernel, no_array, &sum) == "sources = NULL: must point to a struct"
    );
    starfmm_sum** const nowhere = nullptr;
    CHECK(create(context.get(), &kernel, &points, nowhere) == "sum = NULL: must not be");
    REQUIRE(
        starfmm_sum_create(context.get(), &kernel, &points, nullptr, nullptr, &sum) == STARFMM_OK
    );
    const SumHandle made(sum);
    CHECK(refused(starfmm_sum_evaluate(nullptr, &q, &room)) == "sum = NULL: must not be");
    CHECK(
        refused(starfmm_sum_evaluate(sum, nullptr, &room)) ==
        "strengths = NULL: must point to a struct"
    );
    CHECK(
        refused(starfmm_sum_evaluate(sum, &q, nullptr)) == "values = NULL: must point to a struct"
    );
    CHECK(
        refused(starfmm_sum_move(sum, nullptr, nullptr)) == "sources = NULL: must point to a struct"
    );
    CHECK(refused(starfmm_sum_check(sum, &q, &q, 10, 1, nullptr)) == "errors = NULL: must not be");
    CHECK(
        refused(starfmm_sum_report(sum, STARFMM_TEXT, nullptr, 0, nullptr)) ==
        "needed = NULL: must not be"
    );
    std::size_t needed = 0;
    CHECK(
        refused(starfmm_sum_report(sum, STARFMM_TEXT, nullptr, 100, &needed)) ==
        "buffer = NULL: must not be"
    );
}

TEST_CASE("C: structs of earlier and later versions serve, and what is unknown is refused") {
    const ContextHandle context = start();
    const Numbers x = random_numbers(3000, 1);
    const starfmm_kernel kernel = kernel_named("laplace3d");
    const starfmm_const_array points = read(x, 3);
    starfmm_sum* sum = nullptr;
    starfmm_options early = with_tolerance(1e-3);
    early.size = offsetof(starfmm_options, p99);
    early.method = 99; // is behind what it says to have
    REQUIRE(
        starfmm_sum_create(context.get(), &kernel, &points, nullptr, &early, &sum) == STARFMM_OK
    );
    const SumHandle of_early(std::exchange(sum, nullptr));
    std::string report(4096, '\0');
    std::size_t needed = 0;
    REQUIRE(
        starfmm_sum_report(of_early.get(), STARFMM_JSON, report.data(), report.size(), &needed) ==
        STARFMM_OK
    );
    CHECK(nlohmann::json::parse(report.c_str()).at("tolerance") == 1e-3);

    struct {
        starfmm_options known;
        double unknown;
    } late{with_tolerance(1e-3), 0};

    late.known.size = sizeof late;
    REQUIRE(
        starfmm_sum_create(context.get(), &kernel, &points, nullptr, &late.known, &sum) ==
        STARFMM_OK
    );
    const SumHandle of_late(std::exchange(sum, nullptr));
    late.unknown = 1;
    CHECK(
        refused(starfmm_sum_create(context.get(), &kernel, &points, nullptr, &late.known, &sum)) ==
        "options: version " + std::string(starfmm_version()) +
            " knows the first 72 of its 80 bytes; those after them must be 0"
    );

    struct {
        starfmm_errors known;
        double unknown;
    } errors{};

    Numbers values(1000);
    const starfmm_const_array q = starfmm_read_doubles(x.data(), 1000, 1);
    const starfmm_const_array found = read(values, 1);
    errors.known.size = offsetof(starfmm_errors, parts);
    errors.known.parts[0].l2 = 5;
    REQUIRE(starfmm_sum_check(of_late.get(), &q, &found, 9, 1, &errors.known) == STARFMM_OK);
    CHECK(errors.known.n_checked == 9);
    CHECK(errors.known.are_allowed == 0); // of zeros
    CHECK(errors.known.parts[0].l2 == 5);
    errors.known.size = sizeof errors;
    errors.unknown = 5; // what a caller has not set
    REQUIRE(starfmm_sum_check(of_late.get(), &q, &found, 9, 1, &errors.known) == STARFMM_OK);
    CHECK(errors.known.parts[0].l2 == 1);
    CHECK(errors.unknown == 0);
    CHECK(errors.known.size == sizeof errors);
    errors.known.size = 4;
    CHECK(refused(starfmm_sum_check(of_late.get(), &q, &found, 9, 1, &errors.known))
              .starts_with("errors.size = 4: must be that of the struct"));
}

TEST_CASE("C: what is wrong with strengths or values leaves values as they were") {
    const ContextHandle context = start();
    const std::size_t n = 1000;
    const Numbers x = random_numbers(3 * n, 1);
    const SumHandle sum =
        plan(context, kernel_named("laplace3d"), read(x, 3), with_tolerance(1e-6));
    Numbers q = random_numbers(n, 2);
    Numbers values(4 * n, -1);
    const Numbers before = values;
    const auto said = [&](starfmm_const_array strengths, starfmm_array room) {
        return refused(starfmm_sum_evaluate(sum.get(), &strengths, &room));
    };
    CHECK(
        said(read(q, 1), starfmm_write_doubles(values.data(), n, 4)) ==
        "values: has the extents (1, 1000, 4), where (1000, 1), (1000), or with more right-hand "
        "sides (k, 1000, 1) is taken"
    );
    CHECK(said(starfmm_read_doubles(q.data(), n - 1, 1), starfmm_write_doubles(values.data(), n, 1))
              .starts_with("strengths: has the extents (1, 999, 1)"));
    starfmm_array two = starfmm_write_doubles(values.data(), n, 1);
    two.n_rhs = 2;
    CHECK(said(read(q, 1), two) == "values: room for 2 right-hand sides, where strengths are of 1");
    two.n_rhs = 0;
    CHECK(said(read(q, 1), two) == "values.n_rhs = 0: must be at least 1");
    starfmm_const_array away = read(q, 1);
    away.gpu = 1;
    CHECK(said(away, starfmm_write_doubles(values.data(), n, 1)).find("GPU") != std::string::npos);
    q[17] = std::numeric_limits<double>::infinity();
    CHECK(
        said(read(q, 1), starfmm_write_doubles(values.data(), n, 1)).find("inf") !=
        std::string::npos
    );
    CHECK(values == before);
}

TEST_CASE("C: each thread has its message, which stays until its next error") {
    CHECK(refused(starfmm_context_create(-2, 0, nullptr)) == "context = NULL: must not be");
    std::string before;
    std::string after;
    std::thread other([&] {
        before = starfmm_last_error();
        int cores = 0;
        static_cast<void>(starfmm_context_workers(nullptr, &cores, nullptr));
        starfmm_context* context = nullptr;
        static_cast<void>(starfmm_context_create(-2, 0, &context));
        after = starfmm_last_error();
    });
    other.join();
    CHECK(before.empty());
    CHECK(after == "Workers: cores = -2: must not be negative; leave it out for all there are");
    CHECK(std::string(starfmm_last_error()) == "context = NULL: must not be");
    const ContextHandle context = start(); // a success
    CHECK(std::string(starfmm_last_error()) == "context = NULL: must not be");
}

TEST_CASE("C: a context ends with the last of its sums") {
    ContextHandle context = start();
    const Numbers x = random_numbers(3000, 1);
    SumHandle sum = plan(context, kernel_named("laplace3d"), read(x, 3), with_tolerance(1e-6));
    context.reset();
    Numbers values(1000);
    const starfmm_const_array q = starfmm_read_doubles(x.data(), 1000, 1);
    const starfmm_array room = write(values, 1);
    CHECK(starfmm_sum_evaluate(sum.get(), &q, &room) == STARFMM_OK);
    starfmm_context* second = nullptr;
    CHECK(starfmm_context_create(1, 0, &second) == STARFMM_FAILED);
    CHECK(second == nullptr);
    CHECK(!std::string(starfmm_last_error()).empty());
    sum.reset();
    context = start();
}

TEST_CASE("C: a report is written whole or not at all") {
    const ContextHandle context = start();
    const Numbers x = random_numbers(3000, 1);
    const SumHandle sum =
        plan(context, kernel_named("laplace3d"), read(x, 3), with_tolerance(1e-6));
    for (const int format : {STARFMM_TEXT, STARFMM_JSON}) {
        std::size_t needed = 0;
        REQUIRE(starfmm_sum_report(sum.get(), format, nullptr, 0, &needed) == STARFMM_OK);
        std::string buffer(needed, '#');
        CHECK(
            refused(starfmm_sum_report(sum.get(), format, buffer.data(), needed - 1, &needed)) ==
            "capacity = " + std::to_string(buffer.size() - 1) + ": the report needs " +
                std::to_string(buffer.size()) + " characters"
        );
        CHECK(buffer == std::string(needed, '#'));
        REQUIRE(
            starfmm_sum_report(sum.get(), format, buffer.data(), needed, &needed) == STARFMM_OK
        );
        CHECK(std::strlen(buffer.c_str()) + 1 == needed);
        if (format == STARFMM_JSON) {
            const auto report = nlohmann::json::parse(buffer.c_str());
            CHECK(report.at("kernel") == "laplace3d");
            CHECK(report.at("n_sources") == 1000);
        } else {
            CHECK(buffer.starts_with("laplace3d: 1000 sources, 1000 targets"));
        }
    }
    std::size_t needed = 0;
    CHECK(
        refused(starfmm_sum_report(sum.get(), 2, nullptr, 0, &needed)) ==
        "format = 2: must be in [0, 1]"
    );
}

TEST_CASE("C: an interrupted sum says so, and one that memory cannot hold") {
    const ContextHandle context = start();
    const std::size_t n = 200'000; // half a minute of a core
    const Numbers x = random_numbers(3 * n, 1);
    starfmm_options options = with_tolerance(1e-6);
    options.method = STARFMM_METHOD_DIRECT;
    const SumHandle sum = plan(context, kernel_named("laplace3d"), read(x, 3), options);
    const starfmm_const_array q = starfmm_read_doubles(x.data(), n, 1);
    Numbers values(n);
    const starfmm_array room = write(values, 1);
    starfmm_interrupt(); // nothing runs
    std::thread other([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        starfmm_interrupt();
    });
    CHECK(starfmm_sum_evaluate(sum.get(), &q, &room) == STARFMM_INTERRUPTED);
    other.join();
    CHECK(!std::string(starfmm_last_error()).empty());
    starfmm_const_array many = starfmm_read_doubles(x.data(), std::size_t{1} << 61U, 3);
    many.point_stride = 0;
    CHECK(starfmm_sum_move(sum.get(), &many, nullptr) == STARFMM_NO_MEMORY);
    CHECK(!std::string(starfmm_last_error()).empty());
}
