// SPDX-License-Identifier: BSD-3-Clause
// Gravity at targets of their own.
#include "starfmm/starfmm.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

using starfmm::ConstArrayView;
using starfmm::Context;
using starfmm::Errors;
using starfmm::Gravity;
using starfmm::Median;
using starfmm::Method;
using starfmm::Plummer;
using starfmm::Precision;
using starfmm::Spline;
using starfmm::Sum;
using starfmm::SumOptions;

namespace {

using Numbers = std::vector<double>;

/// Points in a ball, in a few clusters, or on a line: [n][3].
Numbers draw_points(Draws& draws, std::size_t n) {
    const auto shape = draws.below(3);
    Numbers x;
    for (std::size_t i = 0; i < n; ++i) {
        const auto centre = static_cast<double>(i % 5);
        for (int d = 0; d < 3; ++d) {
            const double along = draws(-1, 1);
            const double of_cluster = centre + 1e-3 * along;
            x.push_back(shape == 0 ? along : shape == 1 ? of_cluster : d == 0 ? along : 0.25);
        }
    }
    return x;
}

/// Targets among the sources, far from them, near to them, and at their places. What a single source
/// does near its middle is less than what mixed precision tells.
Numbers draw_targets(Draws& draws, const Numbers& sources, std::size_t m) {
    const double offset = draws.among({0.0, 0.0, 3.0, 1e3});
    const double share_at_sources = draws.among({0.0, 0.0, 0.1, 1.0});
    const double nearness = sources.size() > 3 ? draws.among({0.0, 1e-9, 1e-4}) : 0;
    Numbers y = draw_points(draws, m);
    for (std::size_t i = 0; i < m; ++i) {
        const std::size_t source = draws.below(sources.size() / 3);
        const bool is_at_source = draws.chance(share_at_sources);
        for (std::size_t d = 0; d < 3; ++d) {
            double& each = y[3 * i + d];
            each = is_at_source ? sources[3 * source + d] + nearness * each : each + offset;
        }
    }
    return y;
}

void scale(Numbers& values, double by) {
    std::ranges::transform(values, values.begin(), [by](double each) { return by * each; });
}

double epsilon_of(const Gravity& gravity) {
    return std::visit([](const auto& softening) { return softening.epsilon; }, gravity.softening);
}

/// A sum of gravity at random targets.
struct RandomScene {
    Gravity gravity;
    SumOptions options;
    Numbers x;
    Numbers y;
    Numbers masses;
    double unit;

    explicit RandomScene(std::uint64_t seed) {
        Draws draws(seed);
        const double least = draws.chance(0.5) ? 0 : 2.75; // of which some are too few for a tree
        const auto count = [&] {
            return static_cast<std::size_t>(draws.power_of_ten(least, std::log10(scene_size(5000)))
            );
        };
        x = draw_points(draws, count());
        y = draw_targets(draws, x, count());
        for (std::size_t i = 0; i < x.size() / 3; ++i) {
            masses.push_back(draws.chance(0.1) ? 0 : draws(0.5, 1));
        }
        unit = draws.among({1.0, 1.0, 1e-140, 1e140, 3e-7});
        scale(x, unit);
        scale(y, unit);
        const double epsilon = unit * draws.among({0.0, 1e-6, 1e-2, 0.3, 30.0});
        gravity.softening = draws.chance(0.5) ? std::variant<Plummer, Spline>(Plummer{epsilon})
                                              : std::variant<Plummer, Spline>(Spline{epsilon});
        gravity.g = draws.among({1.0, -4.3});
        gravity.potential = draws.chance(0.7);
        draw_options(draws);
    }

    void draw_options(Draws& draws) {
        options.sources = x;
        options.targets = y;
        options.method = draws.among({Method::automatic, Method::fmm, Method::direct});
        options.precision = draws.among(
            {Precision::automatic,
             Precision::double_precision,
             Precision::mixed_precision,
             Precision::single_precision}
        );
        const bool has_digits = options.precision == Precision::automatic ||
                                options.precision == Precision::double_precision;
        const double tolerance = draws.power_of_ten(has_digits ? -7 : -3.9, -1);
        options.tolerance = tolerance;
        if (draws.chance(0.3)) {
            options.tolerance = Median{tolerance, std::min(1.0, 10 * tolerance)};
        }
    }

    [[nodiscard]] std::string describe() const {
        std::ostringstream text;
        text << x.size() / 3 << " sources, " << y.size() / 3 << " targets, unit " << unit
             << (gravity.softening.index() == 0 ? ", plummer " : ", spline ") << epsilon_of(gravity)
             << ", precision " << static_cast<int>(options.precision) << ", method "
             << static_cast<int>(options.method)
             << (options.tolerance.of() == starfmm::Tolerance::Of::l2 ? ", L2 " : ", median ")
             << options.tolerance.value();
        return text.str();
    }
};

void check_sum(Sum& sum, const ConstArrayView& masses, const Numbers& values) {
    const std::size_t k = masses.rank() > 1 ? masses.extent(0) : 1;
    const std::size_t n_values = sum.kernel().shape().n_values();
    const ConstArrayView all(values.data(), {k, sum.n_targets(), n_values});
    const Errors errors = sum.check(masses, all, 1000);
    std::ostringstream text;
    text << sum.report() << errors;
    CAPTURE(text.str());
    CHECK(errors.are_allowed);
}

} // namespace

TEST_CASE("gravity_targets: tolerances are kept at targets anywhere") {
    Context context;
    constexpr std::uint64_t n_scenes = 100;
    std::size_t n_trees = 0;
    for (std::uint64_t seed = 1; seed <= n_scenes; ++seed) {
        const RandomScene scene(seed);
        CAPTURE(seed);
        CAPTURE(scene.describe());
        Sum sum(context, scene.gravity, scene.options);
        check_sum(sum, scene.masses, sum(scene.masses));
        n_trees += sum.report().method == Method::fmm ? 1 : 0;
    }
    CHECK(n_trees > n_scenes / 20);
}

TEST_CASE("gravity_targets: a source at a target's place acts as its softening says") {
    Context context;
    const Numbers x{0, 0, 0, 1, 0, 0};
    const Numbers masses{2, 3};
    const Numbers y{0, 0, 0};
    const auto check = [&](Gravity gravity, double acceleration, double potential) {
        gravity.potential = true;
        for (const Precision precision :
             {Precision::double_precision,
              Precision::mixed_precision,
              Precision::single_precision}) {
            CAPTURE(static_cast<int>(precision));
            Sum sum(
                context,
                gravity,
                {.sources = x, .targets = y, .tolerance = 1e-5, .precision = precision}
            );
            const Numbers values = sum(masses);
            check_sum(sum, masses, values);
            CHECK(values[0] == doctest::Approx(acceleration).epsilon(1e-6));
            CHECK(values[1] == 0);
            CHECK(values[3] == doctest::Approx(potential).epsilon(1e-6));
        }
    };
    check(Gravity{}, 3, -3);
    check({.softening = Spline{0}}, 3, -3);
    check({.softening = Plummer{0.75}, .g = 2}, 2 * 3 / (1.25 * 1.5625), -2 * (2 / 0.75 + 2.4));
    check({.softening = Spline{0.1}, .g = 2}, 2 * 3, -2 * (2 / 0.1 + 3));
}

TEST_CASE("gravity_targets: at the bodies' places sums are theirs, and their own potentials") {
    Context context;
    constexpr std::size_t n = 3001;
    Draws draws(7);
    const Numbers x = draw_points(draws, n);
    const Numbers masses(n, 0.5);
    for (const double epsilon : {0.0, 0.05}) {
        for (const bool is_plummer : {true, false}) {
            Gravity gravity{.potential = true};
            gravity.softening = is_plummer ? std::variant<Plummer, Spline>(Plummer{epsilon})
                                           : std::variant<Plummer, Spline>(Spline{epsilon});
            for (const Method method : {Method::direct, Method::fmm}) {
                SumOptions options{.sources = x, .tolerance = 1e-5, .method = method};
                options.precision = Precision::double_precision;
                const Numbers at_bodies = Sum(context, gravity, options)(masses);
                options.targets = x;
                Sum sum(context, gravity, options);
                const Numbers values = sum(masses);
                CHECK(sum.report().method == method);
                check_sum(sum, masses, values);
                const double own = epsilon > 0 ? 0.5 / epsilon : 0;
                long double error = 0;
                long double norm = 0;
                for (std::size_t i = 0; i < 4 * n; ++i) {
                    const double expected = at_bodies[i] - (i % 4 == 3 ? own : 0);
                    error += std::pow(values[i] - expected, 2.0L);
                    norm += std::pow(expected, 2.0L);
                }
                CHECK(error <= 4e-10L * norm); // both sums have the tolerance
            }
        }
    }
}

TEST_CASE("gravity_targets: several right-hand sides, and points that move") {
    Context context;
    Draws draws(3);
    constexpr std::size_t n = 9000; // enough for a tree
    constexpr std::size_t m = 6001;
    const Numbers x = draw_points(draws, n);
    const Numbers y = draw_points(draws, m);
    Numbers masses(3 * n);
    for (std::size_t i = 0; i < 3 * n; ++i) { // uneven ones in the second
        masses[i] = i / n == 1 ? draws.power_of_ten(-9, 0) : draws(0.5, 1);
    }
    const ConstArrayView three(masses.data(), {3, n});
    const Gravity gravity{.softening = Plummer{1e-3}, .potential = true};
    Sum sum(context, gravity, {.sources = x, .targets = y, .tolerance = 1e-3});
    const Numbers first = sum(three);
    check_sum(sum, three, first);
    CHECK(sum.report().method == Method::fmm);
    CHECK(sum.n_targets() == m);

    Numbers moved = x;
    std::ranges::transform(moved, moved.begin(), [](double each) { return 3 * each; });
    sum.move(moved); // the targets stay
    check_sum(sum, three, sum(three));
    const Numbers few = draw_points(draws, 5);
    sum.move(x, few);
    CHECK(sum.n_targets() == 5);
    check_sum(sum, three, sum(three));
    CHECK(sum.report().method == Method::direct);

    Numbers broken = y;
    broken[7] = NAN;
    CHECK(refusal([&] { sum.move(x, broken); }).starts_with("targets: y"));
    CHECK(refusal([&] { sum.move(broken); }).starts_with("sources: y"));
    check_sum(sum, three, sum(three)); // at the last points
    sum.move(x, y);
    check_sum(sum, three, sum(three));
    CHECK(sum.report().method == Method::fmm);
}

TEST_CASE("gravity_targets: sums by a tree where neither sources nor targets are few") {
    Context context;
    Draws draws(5);
    const Numbers many = draw_points(draws, 10'000);
    const Numbers some = draw_points(draws, 1000);
    const Numbers one = draw_points(draws, 1);
    const auto method_of = [&](const Numbers& x, const Numbers& y, Method method) {
        Sum sum(
            context, Gravity{}, {.sources = x, .targets = y, .tolerance = 1e-3, .method = method}
        );
        const Numbers masses(x.size() / 3, 1.0);
        check_sum(sum, masses, sum(masses));
        return sum.report();
    };
    CHECK(method_of(many, some, Method::automatic).method == Method::fmm);
    CHECK(method_of(some, many, Method::automatic).method == Method::fmm);
    CHECK(method_of(some, some, Method::automatic).method == Method::direct);
    CHECK(method_of(many, one, Method::automatic).method == Method::direct);
    CHECK(method_of(one, many, Method::automatic).method == Method::direct);
    CHECK(method_of(many, one, Method::fmm).why_direct == "1 target is too few for a tree");
    CHECK(method_of(one, many, Method::fmm).why_direct == "1 body is too few for a tree");
}

TEST_CASE("gravity_targets: what is not of sums at targets is refused") {
    Context context;
    Draws draws(9);
    const Numbers x = draw_points(draws, 40);
    const auto refused = [&](const SumOptions& options) {
        return refusal([&] { Sum(context, Gravity{}, options); });
    };
    CHECK(
        refused({.sources = x, .targets = x, .choices = {.own_error = 1e-7}}) ==
        "own_error: is of sums at the bodies, not at targets: leave it out"
    );
    const Numbers none;
    CHECK(refused({.sources = x, .targets = ConstArrayView(none.data(), {0, 3})})
              .starts_with("targets: has no points"));
}
