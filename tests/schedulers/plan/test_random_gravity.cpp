// SPDX-License-Identifier: BSD-3-Clause
// Gravity by a tree with random options, bodies and workers, compared with sums in extended
// precision: an accepted tolerance is kept. tests/support/random_workers.hpp says which cases the
// environment chooses.
#include "core/error.hpp"
#include "core/laws/spline.hpp"
#include "core/particles/value_range.hpp"
#include "tests/support/random_gravity.hpp"
#include "tests/support/random_workers.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::GravityTree;
using starfmm::GravityTreeOptions;
using starfmm::Precision;
using starfmm::Runtime;

namespace {

using Real = long double;

/// Where sums are taken: at the bodies, or at targets.
struct Places {
    const std::array<std::vector<double>, 3>& x;
    bool are_bodies;
};

/// What a sum at a place is judged by.
struct Judge {
    Real magnitude = 0; ///< sum of the terms' magnitudes
    Real roundings = 0; ///< most that they lose, in roundings of coordinates and sums

    /// The error beyond what roundings explain, relative to the sum; for terms that cancel to less
    /// than a hundredth of their magnitudes, relative to that hundredth (docs/gravity_tree.md).
    [[nodiscard]] double relative_error(Real error, Real sum, Real rounding) const {
        const Real beyond = error - rounding * roundings;
        if (beyond <= 0) {
            return 0;
        }
        const Real ratio = beyond / std::max(sum, 0.01L * magnitude);
        return std::isfinite(ratio) ? static_cast<double>(ratio)
                                    : std::numeric_limits<double>::infinity();
    }
};

/// What acceleration and potential at a place are, and what they are judged by.
struct JudgedPlace {
    Real a[3] = {0, 0, 0};
    Real potential = 0;
    Judge of_acceleration;
    Judge of_potential;
    bool has_others = false; ///< whether another body is at the place
};

starfmm::Attraction<Real> attraction(const GravityTreeOptions& options, Real square, Real mass) {
    if (options.softening == starfmm::Softening::spline) {
        return starfmm::SplineSoftening<Real>(starfmm::spline_radius * options.epsilon)
            .attract(square, mass);
    }
    const Real softened = square + Real(options.epsilon) * options.epsilon;
    if (softened == 0) {
        return {0, 0};
    }
    const Real potential = mass / std::sqrt(softened);
    return {potential, potential / softened};
}

/// Coordinates are told apart by 2^-48 of the largest (docs/numerics.md).
JudgedPlace judged_place(
    const GravityTreeOptions& options,
    const Bodies& bodies,
    const Places& places,
    Real extent,
    std::size_t i
) {
    JudgedPlace sum;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
        if ((places.are_bodies && j == i) || bodies.mass[j] == 0) {
            continue;
        }
        Real d[3];
        Real square = 0;
        for (int c = 0; c < 3; ++c) {
            d[c] = Real(bodies.x[c][j]) - places.x[c][i];
            square += d[c] * d[c];
        }
        const auto [potential, factor] = attraction(options, square, bodies.mass[j]);
        for (int c = 0; c < 3; ++c) {
            sum.a[c] += factor * d[c];
        }
        sum.potential -= potential;
        sum.has_others |= square == 0;
        const Real distance = std::sqrt(square);
        const Real force = std::abs(factor) * distance;
        sum.of_acceleration.magnitude += force;
        sum.of_acceleration.roundings += force + 0x1p-24L * std::abs(factor) * extent;
        sum.of_potential.magnitude += std::abs(potential);
        sum.of_potential.roundings += std::abs(potential) + 0x1p-24L * force * extent;
    }
    return sum;
}

/// The larger of the errors of acceleration and potential.
double
relative_error(const JudgedPlace& exact, const Accelerations& found, std::size_t i, Real rounding) {
    Real error = 0;
    Real norm = 0;
    for (int c = 0; c < 3; ++c) {
        error += std::pow(found.a[c][i] - exact.a[c], Real(2));
        norm += exact.a[c] * exact.a[c];
    }
    const double of_acceleration =
        exact.of_acceleration.relative_error(std::sqrt(error), std::sqrt(norm), rounding);
    if (exact.has_others) {
        return of_acceleration; // a precision may take epsilon for zero
    }
    const double of_potential = exact.of_potential.relative_error(
        std::abs(found.potential[i] - exact.potential), std::abs(exact.potential), rounding
    );
    return std::max(of_acceleration, of_potential);
}

struct Errors {
    double median = 0;
    double p99 = 0;
};

/// Quantiles of the errors at all places, or at some, which know a quantile of all within what
/// numbers drawn at random vary by: three of their standard deviations are left out.
Errors errors_of(
    const GravityTreeOptions& options,
    const Bodies& bodies,
    const Places& places,
    const Accelerations& a
) {
    const std::size_t most = scene_size(600);
    const std::size_t n = places.x[0].size();
    const std::size_t n_judged = std::min(n, most);
    const Real extent = std::max(
        starfmm::largest_coordinate(starfmm::PointsRef(bodies.x)),
        starfmm::largest_coordinate(starfmm::PointsRef(places.x))
    );
    const bool is_double = options.precision == Precision::double_precision;
    const Real rounding = is_double ? 0x1p-46L : 0x1p-19L;
    std::vector<double> errors(n_judged);
#pragma omp parallel for schedule(dynamic) num_threads(2)
    for (std::size_t k = 0; k < n_judged; ++k) {
        const std::size_t i = k * n / n_judged;
        const JudgedPlace exact = judged_place(options, bodies, places, extent, i);
        errors[k] = relative_error(exact, a, i, rounding);
    }
    std::sort(errors.begin(), errors.end());
    const auto quantile = [&](double share) {
        const auto count = static_cast<double>(n_judged);
        const double deviation = n_judged < n ? 3 * std::sqrt(share * (1 - share) / count) : 0;
        return errors[static_cast<std::size_t>((share - deviation) * count)];
    };
    return {quantile(0.5), quantile(0.99)};
}

/// Tolerances that a precision has no digits for are refused, and nothing else may be.
bool is_out_of_reach(const RandomGravity& which) {
    return which.options.precision == Precision::mixed_precision &&
           which.options.plan.tolerance < starfmm::least_mixed_tolerance;
}

struct Tally {
    std::size_t trees = 0;
    std::size_t direct = 0;
    std::size_t refused = 0;
    double worst = 0; ///< error over what is allowed
};

void check(Runtime& runtime, const RandomGravity& which, Tally& tally) {
    const Bodies bodies = which.bodies.make();
    const Bodies targets = which.has_targets ? which.targets.make() : Bodies();
    Accelerations found;
    starfmm::PlanInfo info;
    try {
        GravityTree gravity(runtime, which.options);
        if (which.moves) {
            RandomBodies others = which.bodies;
            others.shape = "uniform";
            others.n = bodies.size() + 7;
            gravity.evaluate(others.make(), found);
        }
        if (which.has_targets) {
            gravity.evaluate(bodies, starfmm::PointsRef(targets.x), found);
        } else {
            gravity.evaluate(bodies, found);
        }
        info = gravity.info();
    } catch (const starfmm::InputError& error) {
        const std::string refusal = error.what();
        CAPTURE(refusal);
        CHECK(is_out_of_reach(which));
        ++tally.refused;
        return;
    }
    const Places places{which.has_targets ? targets.x : bodies.x, !which.has_targets};
    const Errors errors = errors_of(which.options, bodies, places, found);
    const double median = errors.median / which.options.plan.tolerance;
    const double p99 = errors.p99 / which.options.tolerance99;
    CAPTURE(info.theta);
    CAPTURE(info.heavy_theta);
    CAPTURE(info.order);
    CAPTURE(info.leaf_size);
    CHECK(median <= 1);
    CHECK(p99 <= 1);
    tally.worst = std::max({tally.worst, median, p99});
    ++(info.method == starfmm::Method::direct ? tally.direct : tally.trees);
}

} // namespace

TEST_CASE("random_gravity: an accepted tolerance is kept, whatever is asked for") {
    Tally tally;
    const RandomRange range = random_range(1000);
    for_random_cases(range, [&](Runtime& runtime, std::size_t number) {
        const RandomGravity which(range.seed, number);
        const std::string options = label(runtime, range.seed, number) + which.describe();
        CAPTURE(options);
        check(runtime, which, tally);
    });
    MESSAGE(
        range.size() << " cases, seed " << range.seed << ": " << tally.refused << " refused, "
                     << tally.direct << " by direct sums, " << tally.trees
                     << " by trees; largest error over what is allowed " << tally.worst
    );
    // direct sums have nothing to keep
    CHECK((range.size() == 1 || 3 * tally.trees >= range.size()));
}
