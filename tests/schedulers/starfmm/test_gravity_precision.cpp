// SPDX-License-Identifier: BSD-3-Clause
// Sums of gravity keep their tolerance in whatever precision is asked for, or in a finer one.
#include "starfmm/starfmm.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <vector>

using starfmm::Context;
using starfmm::Gravity;
using starfmm::Method;
using starfmm::Plummer;
using starfmm::Precision;
using starfmm::Spline;
using starfmm::Sum;
using starfmm::SumOptions;

namespace {

using Numbers = std::vector<double>;

/// Returns points [n][3] around a place, every one of them twice or once.
Numbers points_at(Draws& draws, std::size_t n, double width, bool are_twins) {
    Numbers x;
    for (std::size_t i = 0; i < n; ++i) {
        for (int d = 0; d < 3; ++d) {
            const bool is_twin = are_twins && i % 2 == 1;
            x.push_back(is_twin ? x[x.size() - 3] : 0.5 + width * draws(-1, 1));
        }
    }
    return x;
}

/// Checks that the sum keeps its tolerance.
void check_sum(Sum& sum, const Numbers& masses) {
    const auto errors = sum.check(masses, sum(masses), 200);
    std::ostringstream text;
    text << sum.report() << errors;
    CAPTURE(text.str());
    CHECK(errors.are_allowed);
}

} // namespace

TEST_CASE("gravity_precision: a tolerance is kept, whatever precision is named") {
    Context context;
    std::size_t n_finer = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        CAPTURE(seed);
        Draws draws(seed);
        const auto n =
            static_cast<std::size_t>(draws.power_of_ten(0.5, std::log10(scene_size(5000))));
        const double width = draws.among({0.5, 0.5, 1e-3, 1e-6});
        const Numbers x = points_at(draws, n, width, draws.chance(0.4));
        const Numbers y = draws.chance(0.3) ? points_at(draws, 50, width, false) : Numbers();
        Numbers masses;
        for (std::size_t i = 0; i < n; ++i) {
            masses.push_back(draws(0, 1));
        }
        const double epsilon = draws.among(
            {0.0,
             draws.power_of_ten(-30, -19),
             draws.power_of_ten(-19, -6),
             draws.power_of_ten(-6, 1)}
        );
        Gravity gravity{.softening = Plummer{epsilon}, .potential = true};
        if (draws.chance(0.4)) {
            gravity.softening = Spline{epsilon};
        }
        SumOptions options{.sources = x, .tolerance = draws.power_of_ten(-5, -1.5)};
        if (!y.empty()) {
            options.targets = y;
        }
        options.method = draws.among({Method::automatic, Method::fmm, Method::direct});
        options.precision = draws.among(
            {Precision::automatic, Precision::single_precision, Precision::mixed_precision}
        );
        Sum sum(context, gravity, options);
        check_sum(sum, masses);
        const starfmm::Report report = sum.report();
        const bool is_finer =
            options.precision != Precision::automatic && report.precision != options.precision;
        CHECK(report.why_precision.empty() == !is_finer);
        n_finer += is_finer ? 1 : 0;
    }
    CHECK(n_finer > 5);
    CHECK(n_finer < 60);
}

TEST_CASE("gravity_precision: long sums of terms that are alike keep their digits") {
    Context context;
    Draws draws(7);
    const std::size_t n = 100'000;
    const Numbers x = points_at(draws, n, 0.5, false);
    const Numbers y = points_at(draws, 20, 0.5, false);
    const Gravity gravity{.softening = Plummer{10}, .potential = true};
    SumOptions options{.sources = x, .targets = y, .tolerance = 1e-5};
    options.method = Method::direct;
    options.precision = Precision::single_precision;
    Sum sum(context, gravity, options);
    check_sum(sum, Numbers(n, 1.0 / n));
    CHECK(sum.report().precision == Precision::mixed_precision);
}
