// SPDX-License-Identifier: BSD-3-Clause
// Sums of gravity with a softening length for each source.
#include "starfmm/starfmm.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

using starfmm::Context;
using starfmm::Gravity;
using starfmm::Median;
using starfmm::Method;
using starfmm::Precision;
using starfmm::Spline;
using starfmm::Sum;
using starfmm::SumOptions;

namespace {

using Numbers = std::vector<double>;

constexpr Gravity with_potential{.softening = Spline{}, .potential = true};

/// Points about a few places, [n][3], closer to each other or not.
Numbers draw_points(Draws& draws, std::size_t n) {
    const double width = draws.among({1.0, 0.1, 1e-3});
    Numbers x;
    for (std::size_t i = 0; i < n; ++i) {
        for (int d = 0; d < 3; ++d) {
            x.push_back(static_cast<double>((i + d) % 3) + width * draws(-1, 1));
        }
    }
    return x;
}

Numbers draw_lengths(Draws& draws, std::size_t n) {
    const double longest = draws.power_of_ten(-3, 0.5);
    const double decades = draws.among({0.0, 1.0, 4.0, 8.0});
    const double share = draws.among({1.0, 1.0, 0.5, 0.01});
    Numbers lengths;
    for (std::size_t i = 0; i < n; ++i) {
        lengths.push_back(draws.chance(share) ? longest * draws.power_of_ten(-decades, 0) : 0);
    }
    return lengths;
}

void check_sum(const Sum& sum, const Numbers& masses, const Numbers& values) {
    const auto errors = sum.check(masses, values, 1000);
    std::ostringstream text;
    text << sum.report() << errors;
    CAPTURE(text.str());
    CHECK(errors.are_allowed);
}

/// Checks that values are the same but for the order of the sums, which GPUs choose.
void check_same(const Numbers& found, const Numbers& expected) {
    REQUIRE(found.size() == expected.size());
    double difference = 0;
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        difference = std::max(difference, std::abs(found[i] - expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
    }
    CHECK(difference <= 1e-12 * largest);
}

} // namespace

TEST_CASE("lengths: tolerances are kept") {
    Context context;
    std::size_t n_trees = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Draws draws(seed);
        const auto count = [&] {
            return static_cast<std::size_t>(draws.power_of_ten(1.5, std::log10(scene_size(5000))));
        };
        const std::size_t n = count();
        const Numbers x = draw_points(draws, n);
        const Numbers y = draws.chance(0.3) ? draw_points(draws, count()) : Numbers();
        const Numbers lengths = draw_lengths(draws, n);
        const bool are_even = draws.chance(0.6);
        Numbers masses;
        for (std::size_t i = 0; i < n; ++i) {
            masses.push_back(are_even ? 1 : draws.power_of_ten(-3, 0));
        }
        const double tolerance = draws.power_of_ten(-6, -1);
        SumOptions options{.sources = x, .lengths = lengths, .tolerance = tolerance};
        if (!y.empty()) {
            options.targets = y;
        }
        if (draws.chance(0.3)) {
            options.tolerance = Median{tolerance, std::min(1.0, 10 * tolerance)};
        }
        options.method = draws.among({Method::automatic, Method::fmm, Method::direct});
        Sum sum(context, with_potential, options);
        check_sum(sum, masses, sum(masses));
        CHECK(sum.report().precision == Precision::double_precision);
        n_trees += sum.report().method == Method::fmm ? 1 : 0;
    }
    CHECK((n_trees > 5 || small_scenes())); // fewer points are summed directly
}

TEST_CASE("lengths: groups of targets may have no bodies") {
    Context context;
    Draws draws(5);
    const auto points = [&](std::size_t n, double low, double high) {
        Numbers x;
        for (std::size_t i = 0; i < 3 * n; ++i) {
            x.push_back(draws(low, high));
        }
        return x;
    };
    const Numbers x = points(2000, 0.3, 0.4);
    const Numbers y = points(1000, 0, 1);
    const Numbers lengths(2000, 1e-3);
    for (const int groups : {1, 2, 4, 16}) {
        CAPTURE(groups);
        SumOptions options{.sources = x, .targets = y, .lengths = lengths, .tolerance = 1e-3};
        options.method = Method::fmm;
        options.choices.groups = groups;
        options.choices.leaf_size = 20;
        Sum sum(context, with_potential, options);
        const Numbers masses(2000, 1);
        check_sum(sum, masses, sum(masses));
    }
}

TEST_CASE("lengths: a pair has the longer one, a target the source's") {
    Context context;
    const Numbers x{0, 0, 0, 0.1, 0, 0};
    const Numbers lengths{0.3, 0.01};
    const Numbers masses{2, 3};
    const auto with_one =
        [&](const Numbers& source, double mass, const Numbers& target, double epsilon) {
            const Numbers one{mass};
            const Gravity gravity{.softening = Spline{epsilon}, .potential = true};
            return Sum(context, gravity, {.sources = source, .targets = target})(one);
        };
    const Numbers first{0, 0, 0};
    const Numbers second{0.1, 0, 0};
    const Numbers found = Sum(context, with_potential, {.sources = x, .lengths = lengths})(masses);
    const Numbers at_first = with_one(second, 3, first, 0.3);
    const Numbers at_second = with_one(first, 2, second, 0.3);
    const Numbers target{0.1, 0.02, 0};
    const Numbers at_target =
        Sum(context, with_potential, {.sources = x, .targets = target, .lengths = lengths})(masses);
    const Numbers by_first = with_one(first, 2, target, 0.3);
    const Numbers by_second = with_one(second, 3, target, 0.01);
    for (std::size_t c = 0; c < 4; ++c) {
        CHECK(found[c] == doctest::Approx(at_first[c]).epsilon(1e-13));
        CHECK(found[4 + c] == doctest::Approx(at_second[c]).epsilon(1e-13));
        CHECK(at_target[c] == doctest::Approx(by_first[c] + by_second[c]).epsilon(1e-13));
    }
    CHECK(at_second[0] == doctest::Approx(-at_first[0] * 2 / 3));
}

TEST_CASE("lengths: follow points that move, or are replaced") {
    Context context;
    Draws draws(5);
    const std::size_t n = scene_size(3000);
    const Numbers x = draw_points(draws, n);
    const Numbers moved = draw_points(draws, n);
    const Numbers lengths = draw_lengths(draws, n);
    const Numbers others = draw_lengths(draws, n);
    const Numbers masses(n, 1.0);
    const auto sum_of = [&](const Numbers& points, const Numbers& epsilon) {
        return Sum(context, with_potential, {.sources = points, .lengths = epsilon})(masses);
    };
    Sum sum(context, with_potential, {.sources = x, .lengths = lengths});
    check_same(sum(masses), sum_of(x, lengths));
    sum.move(moved);
    check_same(sum(masses), sum_of(moved, lengths));
    sum.move(x, {}, others);
    check_same(sum(masses), sum_of(x, others));
    const Numbers few(x.begin(), x.begin() + 30);
    CHECK(refusal([&] {
              sum.move(few);
          }) == "lengths: " + std::to_string(n) + " values, must be 10, as many as sources");
}

TEST_CASE("lengths: several right-hand sides, and single numbers") {
    Context context;
    Draws draws(6);
    constexpr std::size_t n = 700;
    const Numbers x = draw_points(draws, n);
    const Numbers lengths = draw_lengths(draws, n);
    Numbers masses;
    for (std::size_t i = 0; i < 3 * n; ++i) {
        masses.push_back(draws(0, 1));
    }
    Sum sum(context, with_potential, {.sources = x, .lengths = lengths});
    const Numbers values = sum(starfmm::ConstArrayView(masses.data(), {3, n}));
    for (std::size_t k = 0; k < 3; ++k) {
        const auto first = masses.begin() + static_cast<std::ptrdiff_t>(k * n);
        const Numbers one = sum(Numbers(first, first + static_cast<std::ptrdiff_t>(n)));
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k * 4 * n);
        check_same(Numbers(begin, begin + 4 * n), one);
    }
    const std::vector<float> singles(lengths.begin(), lengths.end());
    const Numbers rounded(singles.begin(), singles.end());
    const Numbers ones(n, 1.0);
    check_same(
        Sum(context, with_potential, {.sources = x, .lengths = singles})(ones),
        Sum(context, with_potential, {.sources = x, .lengths = rounded})(ones)
    );
}

TEST_CASE("lengths: a leapfrog takes them along") {
    Context context;
    Draws draws(8);
    constexpr std::size_t n = 200;
    Numbers x;
    Numbers lengths;
    for (std::size_t i = 0; i < n; ++i) {
        x.insert(x.end(), {draws(0, 1), draws(0, 1), draws(0, 1)});
        lengths.push_back(draws(0.03, 0.3));
    }
    const Numbers masses(n, 1.0 / n);
    const Numbers zeros(3 * n);
    Sum sum(context, with_potential, {.sources = x, .lengths = lengths});
    starfmm::Leapfrog run(sum, {x, zeros, masses}, 2e-3);
    run.step(100);
    const auto energy_of = [&](const Numbers& values, const Numbers& velocities) {
        double energy = 0;
        for (std::size_t i = 0; i < n; ++i) {
            energy += masses[i] * values[4 * i + 3] / 2;
            for (std::size_t d = 0; d < 3; ++d) {
                energy += masses[i] * std::pow(velocities[3 * i + d], 2) / 2;
            }
        }
        return energy;
    };
    const Numbers start = Sum(context, with_potential, {.sources = x, .lengths = lengths})(masses);
    const double before = energy_of(start, zeros);
    CHECK(run.positions() != x);
    CHECK(energy_of(run.values(), run.velocities()) == doctest::Approx(before).epsilon(1e-5));
}

TEST_CASE("lengths: what is refused, by name") {
    Context context;
    const Numbers x{0, 0, 0, 1, 0, 0};
    Numbers lengths{1, 2};
    const auto made = [&](const starfmm::Kernel& kernel, SumOptions options) {
        options.sources = x;
        options.lengths = lengths;
        return refusal([&] { const Sum sum(context, kernel, options); });
    };
    CHECK(made(starfmm::Laplace3d{}, {}) == "lengths: kernel laplace3d has none");
    CHECK(made(Gravity{}, {}).starts_with("lengths: with softening = Plummer"));
    CHECK(made(Gravity{.softening = Spline{0.1}}, {}).starts_with("epsilon: each body has"));
    for (const Precision precision : {Precision::mixed_precision, Precision::single_precision}) {
        CHECK(made(with_potential, {.tolerance = 1e-2, .precision = precision})
                  .starts_with("precision: bodies with softening lengths"));
    }
    lengths[1] = -1;
    CHECK(made(with_potential, {}) == "lengths[1] = -1: must not be negative");
    lengths[1] = std::numeric_limits<double>::infinity();
    CHECK(made(with_potential, {}).starts_with("lengths[1]"));
    lengths = {1, 2, 3};
    CHECK(made(with_potential, {}) == "lengths: 3 values, must be 2, as many as sources");
    Sum without(context, Gravity{.softening = Spline{}}, {.sources = x});
    lengths = {1, 2};
    CHECK(refusal([&] { without.move(x, {}, lengths); }) == "lengths: the sum was made without");
}
