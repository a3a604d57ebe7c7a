// SPDX-License-Identifier: BSD-3-Clause
// The allowed distance of a sum from the exact one is derived from the sum and not from what the
// library makes of it: see docs/numerics.md, "What tests allow".
#pragma once

#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/plan.hpp"
#include "tests/support/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// Exact sums at some of the targets.
struct Reference {
    std::string kernel; ///< harmonic2d or log2d
    std::vector<std::size_t> which;
    std::vector<ExactSum> sums;
    double extent = 0;      ///< largest magnitude of a coordinate
    std::size_t n = 0;      ///< number of sources
    bool signs = false;     ///< whether signs of the strengths are independent of each other
    bool on_a_line = false; ///< whether all points lie on a line

    Reference(
        std::string_view name,
        const starfmm::Points<2>& sources,
        const starfmm::Strengths& strengths,
        const starfmm::Points<2>& targets,
        std::size_t n_checked
    )
        : kernel(name), which(starfmm::random_targets(targets.size(), n_checked, 3)),
          sums(exact_sums(name, sources, strengths, targets, which)), n(sources.size()) {
        for (const auto* points : {&sources, &targets}) {
            for (const auto& x : points->x) {
                for (const double coordinate : x) {
                    extent = std::max(extent, std::abs(coordinate));
                }
            }
        }
    }

    /// Distance of potential `at` from sum `i`; a number that is not finite is infinitely far.
    [[nodiscard]] long double
    error(const starfmm::Potentials& potentials, std::size_t at, std::size_t i) const {
        const double im = potentials.im.empty() ? 0 : potentials.im[at];
        const long double distance = std::hypot(potentials.re[at] - sums[i].re, im - sums[i].im);
        return std::isnan(distance) ? std::numeric_limits<long double>::infinity() : distance;
    }
};

/// Parameters that decide how much a sum is rounded.
struct Computation {
    double unit = 0x1p-53; ///< largest relative error of one rounding
    double theta = 0;      ///< separation; 0: pairs only
    int levels = 0;
    double additions = 0; ///< number of terms that one accumulator adds up
};

constexpr double single_unit = 0x1p-24;

/// Parameters of the plan's sums. Leaves' neighbours differ in number, by less than a factor of
/// four: all boxes of a level hold equally many points.
inline Computation
computation_of(const starfmm::PlanInfo& info, std::size_t n, std::size_t m, bool single) {
    Computation how;
    how.unit = single ? single_unit : how.unit;
    how.additions = static_cast<double>(n);
    if (info.method == starfmm::Method::fmm) {
        const double near = static_cast<double>(info.work.p2p_pairs) / static_cast<double>(m);
        how.additions = std::min(how.additions, 4 * near);
        how.theta = info.theta;
        how.levels = info.levels;
    }
    return how;
}

/// Sum of the variances of the roundings that a term goes through, in units of one rounding's
/// variance:
/// - a pair: 10, for differences, squares, reciprocal or logarithm, and products;
/// - additions;
/// - expansions: a stage (P2M, M2L, L2P, a shift up and one down a level) takes 4 roundings a
///   degree, of which series with ratio theta have 1 / (1 - theta) on average; and the magnitudes
///   of its monomials sum up to (1 + 3 theta) / (1 - theta) times the pair's value.
inline double rounding_variance(const Computation& how) {
    constexpr double pair = 10;
    if (how.theta == 0) {
        return pair + how.additions;
    }
    const double stages = 3 + 2 * how.levels;
    const double growth = (1 + 3 * how.theta) / (1 - how.theta);
    return pair + how.additions + growth * growth * stages * 4 / (1 - how.theta);
}

/// Error that single precision may make in a difference of two points: it keeps 48 bits of each of
/// four coordinates, and distinguishes points 2^-58 apart unless coordinates are below 2^-35.
inline long double single_resolution(double extent) {
    const long double of_digits = std::sqrt(8.0L) * 0x1p-48L * extent;
    return extent > 0x1p-35 ? std::max(of_digits, 0x1p-58L) : of_digits;
}

/// Bound of what rounding adds to the error of a sum.
inline long double
rounding_bound(const Reference& reference, const ExactSum& sum, const Computation& how) {
    // A sum of independent roundings exceeds 7 standard deviations once in 4e10 sums.
    const long double factor = 7 * how.unit * std::sqrt(rounding_variance(how));
    const bool is_log = reference.kernel == "log2d";
    // a distance's relative error moves its logarithm by as much, whatever that is
    const long double squares = sum.squares + (is_log ? sum.strengths2 : 0);
    const long double magnitude = sum.magnitude + (is_log ? sum.strength : 0);
    const long double split =
        how.unit == single_unit ? single_resolution(reference.extent) * sum.slope : 0;
    return factor * (reference.signs ? std::sqrt(squares) : magnitude) + split;
}

/// Bound of what cutting series off adds to the error of a sum, where they are cut at
/// theta^order = `remainder`.
inline long double truncation_bound(
    std::string_view kernel, const ExactSum& sum, double theta, int order, double remainder
) {
    constexpr double coarse_logarithm = 1.02; // factor of TruncationOrders, in the exponent
    const double both = 4 * theta / ((1 + theta) * (1 + theta));
    if (kernel == "log2d") {
        const double factor = theta / (2 * (1 - theta)) * (2 + both * (1 + theta) / 2);
        return coarse_logarithm * remainder * factor * sum.strength;
    }
    const double factor =
        1 + theta +
        std::pow(both, order) * 2 * theta * (1 + 3 * theta) / ((1 + theta) * (1 - theta));
    return coarse_logarithm * remainder * factor * sum.magnitude;
}

/// Verdict on how sums meet a tolerance.
struct Verdict {
    double worst = 0;       ///< largest ratio of an error to what is allowed
    std::size_t judged = 0; ///< number of targets (log: of sums)
    /// Number of those targets where rounding decides and not the tolerance.
    std::size_t excused = 0;
    double may_be_excused = 0; ///< average number of targets that may be excused

    void add(long double error, long double tolerated, long double rounding) {
        ++judged;
        excused += rounding > tolerated ? 1 : 0;
        const long double allowed = tolerated + rounding;
        const long double ratio = error > 0 ? error / allowed : 0;
        worst = std::max(worst, static_cast<double>(ratio));
    }

    void add(const Verdict& other) {
        worst = std::max(worst, other.worst);
        judged += other.judged;
        excused += other.excused;
        may_be_excused += other.may_be_excused;
    }

    /// Number that is exceeded by chance once in 1e4 tallies: 4 standard deviations, and 3 for
    /// small numbers.
    [[nodiscard]] double most_excused() const {
        return may_be_excused + 4 * std::sqrt(may_be_excused) + 3;
    }
};

/// Largest fraction of targets whose sum is below `relative` times the scale of its terms:
/// - Where all terms have one direction, on a line and for logarithms, and signs are random, it is
///   at most `relative`, the density of a normal variable at 0. With equal signs on a line the
///   field near the middle is 4 n |x - 1/2| of magnitudes 2 n log n, hence relative * log n.
/// - Elsewhere both components must vanish, which takes the square: relative^2 for sums with random
///   signs whose directions are random, too. With equal signs it is that fraction of a disc about
///   the point without a field, times the distributions' densities, 3 (normal) to 6 (layer).
inline double share_of_cancelling(const Reference& reference, long double relative) {
    const auto share = static_cast<double>(relative);
    if (reference.kernel == "log2d") {
        return std::min(share, 1.0);
    }
    if (reference.on_a_line) {
        const auto n = static_cast<double>(reference.n);
        return std::min(share * (reference.signs ? 1 : 1 + std::log(n)), 1.0);
    }
    return std::min(8 * share * share, 1.0);
}

/// Judges sums: harmonic ones by every target's relative error; logarithmic ones, which cross zero,
/// by that of the L2 norm.
inline Verdict judge(
    const Reference& reference,
    const starfmm::Potentials& potentials,
    double tolerance,
    const Computation& how
) {
    Verdict verdict;
    long double squares[4] = {};
    for (std::size_t i = 0; i < reference.which.size(); ++i) {
        const ExactSum& sum = reference.sums[i];
        const long double error = reference.error(potentials, reference.which[i], i);
        const long double rounding = rounding_bound(reference, sum, how);
        const long double scale = reference.signs ? std::sqrt(sum.squares) : sum.magnitude;
        squares[0] += error * error;
        squares[1] += sum.value() * sum.value();
        squares[2] += rounding * rounding;
        squares[3] += scale * scale;
        if (reference.kernel == "harmonic2d") {
            verdict.add(error, tolerance * sum.value(), rounding);
            verdict.may_be_excused +=
                scale > 0 ? share_of_cancelling(reference, rounding / tolerance / scale) : 0;
        }
    }
    if (reference.kernel == "log2d") {
        const long double rounding = std::sqrt(squares[2]);
        verdict.add(std::sqrt(squares[0]), tolerance * std::sqrt(squares[1]), rounding);
        verdict.may_be_excused +=
            squares[3] > 0
                ? share_of_cancelling(reference, rounding / tolerance / std::sqrt(squares[3]))
                : 0;
    }
    return verdict;
}

/// Judges sums by errors relative to the sum of the magnitudes of their terms, which is what
/// series' remainders are relative to.
inline Verdict judge_magnitudes(
    const Reference& reference,
    const starfmm::Potentials& potentials,
    double tolerance,
    const Computation& how
) {
    Verdict verdict;
    for (std::size_t i = 0; i < reference.which.size(); ++i) {
        const ExactSum& sum = reference.sums[i];
        const long double error = reference.error(potentials, reference.which[i], i);
        verdict.add(error, tolerance * sum.magnitude, rounding_bound(reference, sum, how));
    }
    return verdict;
}
