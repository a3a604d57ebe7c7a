// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/cancellation.hpp"

#include "core/reference/direct_sum.hpp"
#include "core/tree/morton.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace starfmm {

namespace {

/// Sources that a single adds up at most, before sums go on in double.
constexpr std::size_t run_length = 256;

/// Sources for more than these are a sample of them where sums over runs are looked at.
constexpr std::size_t most_ordered = 1U << 16U;

/// Pairs below which a sum takes no time, whatever its precision.
constexpr double few_pairs = 1U << 16U;

constexpr std::size_t most_targets = 32;
constexpr std::size_t most_terms = 1U << 24U;

/// What the sums of a term and of a run of terms, rounded, are off by in the root mean square: of
/// strengths of random sign sums have these errors (docs/numerics.md, "Mixed precision").
constexpr double potential_rounding = 2e-7;
constexpr double gradient_rounding = 4e-7;

/// Sources, coordinate by coordinate.
struct SourceView {
    const double* x[3];
    const double* q;
    std::size_t n;
};

struct SourceArrays {
    std::array<std::vector<double>, 3> x;
    std::vector<double> q;

    [[nodiscard]] SourceView view() const {
        return {{x[0].data(), x[1].data(), x[2].data()}, q.data(), q.size()};
    }
};

/// What sources do to a target.
struct SourceSums {
    double potential = 0;
    double gradient[3] = {};
    double squares = 0; ///< sum of the squares of the potential's terms
    double gradient_squares = 0;
};

/// TargetSquares of one target's sums, and of what rounds them: of terms, and of sums over runs.
struct TargetSquares {
    double potential = 0;
    double gradient = 0;
    double potential_terms = 0;
    double gradient_terms = 0;
    double potential_runs = 0;
    double gradient_runs = 0;
};

double norm_square(const double (&v)[3]) {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

std::array<double, 3> place_of(const PointsRef& points, std::size_t i) {
    return {points.x[0][i], points.x[1][i], points.x[2][i]};
}

/// Over sources [begin, end), but those at the target's place.
SourceSums sum_over(
    const SourceView& sources,
    std::size_t begin,
    std::size_t end,
    const std::array<double, 3>& target
) {
    const double* const x = sources.x[0];
    const double* const y = sources.x[1];
    const double* const z = sources.x[2];
    const double* const q = sources.q;
    double potential = 0;
    double gx = 0;
    double gy = 0;
    double gz = 0;
    double squares = 0;
    double gradient_squares = 0;
#pragma omp simd reduction(+ : potential, gx, gy, gz, squares, gradient_squares)
    for (std::size_t j = begin; j < end; ++j) {
        const double dx = x[j] - target[0];
        const double dy = y[j] - target[1];
        const double dz = z[j] - target[2];
        const double square = dx * dx + dy * dy + dz * dz;
        const double inverse = square > 0 ? 1 / std::sqrt(square) : 0;
        const double term = q[j] * inverse;
        const double slope = term * inverse * inverse;
        potential += term;
        gx += slope * dx;
        gy += slope * dy;
        gz += slope * dz;
        squares += term * term;
        gradient_squares += term * term * inverse * inverse;
    }
    return {potential, {gx, gy, gz}, squares, gradient_squares};
}

/// `n` of the sources, evenly chosen, in the order of the Z-order curve of their cube, as leaves
/// have them.
std::vector<std::size_t> along_curve(const PointsRef& sources, std::size_t n) {
    constexpr double boxes = std::uint32_t(1) << deepest_level<3>;
    std::array<double, 3> low{};
    double side = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto [least, most] = std::minmax_element(sources.x[d].begin(), sources.x[d].end());
        low[d] = *least;
        side = std::max(side, *most - *least);
    }
    const double per_side = side > 0 ? (boxes - 1) / side : 0;
    std::vector<std::pair<DeepCode, std::size_t>> places(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t j = i * sources.size() / n;
        std::array<std::uint32_t, 3> at{};
        for (std::size_t d = 0; d < 3; ++d) {
            at[d] = static_cast<std::uint32_t>((sources.x[d][j] - low[d]) * per_side);
        }
        places[i] = {deep_code<3>(at), j};
    }
    std::ranges::sort(places);
    std::vector<std::size_t> order(n);
    std::ranges::transform(places, order.begin(), [](const auto& place) { return place.second; });
    return order;
}

SourceArrays chosen(
    const PointsRef& sources,
    const std::vector<double>& strengths,
    const std::vector<std::size_t>& which
) {
    SourceArrays own;
    for (std::size_t d = 0; d < 3; ++d) {
        own.x[d].resize(which.size());
        std::ranges::transform(which, own.x[d].begin(), [&](std::size_t j) {
            return sources.x[d][j];
        });
    }
    own.q.resize(which.size());
    std::ranges::transform(which, own.q.begin(), [&](std::size_t j) { return strengths[j]; });
    return own;
}

void add(const SourceSums& run, SourceSums& all) {
    all.potential += run.potential;
    for (int d = 0; d < 3; ++d) {
        all.gradient[d] += run.gradient[d];
    }
}

/// \param ordered the sources, or a sample of them, along the curve
TargetSquares
squares_at(const SourceView& all, const SourceView& ordered, const std::array<double, 3>& target) {
    TargetSquares squares;
    SourceSums sums;
    for (std::size_t begin = 0; begin < ordered.n; begin += run_length) {
        const SourceSums run =
            sum_over(ordered, begin, std::min(begin + run_length, ordered.n), target);
        squares.potential_runs += run.potential * run.potential;
        squares.potential_terms += run.squares;
        squares.gradient_runs += norm_square(run.gradient);
        squares.gradient_terms += run.gradient_squares;
        add(run, sums);
    }
    if (ordered.n < all.n) {
        const double share = static_cast<double>(all.n) / static_cast<double>(ordered.n);
        squares.potential_terms *= share;
        squares.gradient_terms *= share;
        squares.potential_runs *= share;
        squares.gradient_runs *= share;
        sums = sum_over(all, 0, all.n, target);
    }
    squares.potential = sums.potential * sums.potential;
    squares.gradient = norm_square(sums.gradient);
    return squares;
}

/// A sum that is as large as all others of a sample together may be one of few in all: it does not
/// count.
Cancellation ratios_of(
    const std::vector<TargetSquares>& all,
    double TargetSquares::*sum,
    double TargetSquares::*terms,
    double TargetSquares::*runs
) {
    double of_sums = 0;
    double of_terms = 0;
    double of_runs = 0;
    double largest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const TargetSquares& each : all) {
        least = std::min(least, each.*sum);
        of_sums += each.*sum;
        of_terms += each.*terms;
        of_runs += each.*runs;
        largest = std::max(largest, each.*sum);
    }
    if (of_terms == 0) {
        return {};
    }
    const bool is_rare = all.size() >= most_targets / 4 && 2 * largest > of_sums;
    const double left = is_rare ? of_sums - largest : of_sums;
    const auto ratio = [left](double squares) {
        const double root = std::sqrt(squares / left);
        return left > 0 && std::isfinite(root) ? root : std::numeric_limits<double>::infinity();
    };
    // far targets of one crowd have one sum, whose rounding no mean over them makes smaller
    constexpr double of_one = 3;
    const double margin = largest < 1.1 * least ? of_one : 1;
    return {ratio(of_terms), margin * ratio((of_terms + of_runs) / 2)};
}

/// Cancellation of one right-hand side, by a sample of its targets.
SpaceCancellation
sampled(const PointsRef& sources, const std::vector<double>& strengths, const PointsRef& targets) {
    using Target = TargetSquares;
    const std::size_t n = sources.size();
    const std::size_t n_ordered = std::min(n, most_ordered);
    const SourceArrays ordered = chosen(sources, strengths, along_curve(sources, n_ordered));
    const SourceView all{
        {sources.x[0].data(), sources.x[1].data(), sources.x[2].data()}, strengths.data(), n};
    const std::size_t n_targets = std::clamp(most_terms / n, most_targets / 4, most_targets);
    const auto which = random_targets(targets.size(), n_targets, 1);
    std::vector<Target> squares(which.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < which.size(); ++i) {
        squares[i] = squares_at(all, ordered.view(), place_of(targets, which[i]));
    }
    SpaceCancellation found;
    found.potential =
        ratios_of(squares, &Target::potential, &Target::potential_terms, &Target::potential_runs);
    found.gradient =
        ratios_of(squares, &Target::gradient, &Target::gradient_terms, &Target::gradient_runs);
    return found;
}

/// Whether potentials cannot cancel.
bool have_one_sign(const std::vector<double>& strengths) {
    const auto [least, most] = std::ranges::minmax(strengths);
    return least >= 0 || most <= 0;
}

void keep_larger(const Cancellation& other, Cancellation& worst) {
    worst.terms = std::max(worst.terms, other.terms);
    worst.runs = std::max(worst.runs, other.runs);
}

void look_at(
    const std::vector<double>& strengths,
    const PointsRef& sources,
    const PointsRef& targets,
    SpaceCancellation& worst
) {
    const bool has_gradient = worst.result == SpaceResult::with_gradient;
    const bool cancels = !strengths.empty() && !have_one_sign(strengths);
    if (strengths.empty() || !(cancels || has_gradient)) {
        return;
    }
    const SpaceCancellation found = sampled(sources, strengths, targets);
    if (cancels) {
        keep_larger(found.potential, worst.potential);
    }
    if (has_gradient) {
        keep_larger(found.gradient, worst.gradient);
    }
}

} // namespace

SpaceCancellation cancellation_of(
    const PointsRef& sources,
    std::span<const Strengths> strengths,
    const PointsRef& targets,
    SpaceResult result
) {
    SpaceCancellation worst;
    worst.result = result;
    worst.n_pairs = static_cast<double>(sources.size()) * static_cast<double>(targets.size());
    for (const Strengths& each : strengths) {
        look_at(each.re, sources, targets, worst);
        look_at(each.im, sources, targets, worst);
    }
    return worst;
}

Precision automatic_precision(const SpaceCancellation& cancellation, double tolerance) {
    const double share = 0.5 * tolerance; // the other half is the expansions'
    const bool serves =
        tolerance >= least_mixed_tolerance && cancellation.n_pairs >= few_pairs &&
        potential_rounding * cancellation.potential.runs <= share &&
        gradient_rounding * cancellation.gradient.runs <= gradient_allowance_in_space * share;
    return serves ? Precision::mixed_precision : Precision::double_precision;
}

double excess_of(const SpaceCancellation& cancellation) {
    constexpr double usual = 2.5; // strengths of random sign may come to that by chance
    const double of_gradients = gradient_allowance_in_space / 3;
    const double excess =
        std::max(cancellation.potential.terms, cancellation.gradient.terms / of_gradients);
    return excess > usual ? excess : 1;
}

} // namespace starfmm
