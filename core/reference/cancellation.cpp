// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/cancellation.hpp"

#include "core/options.hpp"
#include "core/reference/cancellation_sums.hpp"
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

using Look = Cancellations::Look;

/// Terms that a look sums at most, but for the fewest targets.
constexpr std::size_t most_terms = 1U << 24U;

/// Terms that take no time: of few sources so many are summed at more targets, since few targets tell
/// little of sums that one may decide.
constexpr std::size_t few_terms = 1U << 20U;
constexpr std::size_t many_targets = 1024;

/// What the sums of a term and of a run of terms, rounded, are off by in the root mean square:
/// potentials by 2e-7 at many targets, by up to 4e-7 at a hundred; of strengths of random sign sums
/// have these errors (docs/numerics.md, "Mixed precision").
constexpr double potential_rounding = 2.5e-7;
constexpr double gradient_rounding = 4e-7;

/// What terms and runs of random sign may come to by chance, in terms of their sum.
constexpr double usual = 2.5;

struct SourceArrays {
    std::array<std::vector<double>, 3> x;
    std::vector<double> q;

    [[nodiscard]] SourceView view() const {
        return {{x[0].data(), x[1].data(), x[2].data()}, q.data(), q.size()};
    }
};

/// Squares of one target's sums, and of what rounds them: of terms, and of sums over runs.
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

SourceArrays chosen(
    const PointsRef& sources,
    std::span<const double> strengths,
    const std::vector<std::uint32_t>& which
) {
    SourceArrays own;
    for (std::size_t d = 0; d < 3; ++d) {
        own.x[d].resize(which.size());
        std::ranges::transform(which, own.x[d].begin(), [&](std::uint32_t j) {
            return sources.x[d][j];
        });
    }
    own.q.resize(which.size());
    std::ranges::transform(which, own.q.begin(), [&](std::uint32_t j) { return strengths[j]; });
    return own;
}

/// Sums over sources [begin, end).
SourceSums
sum_over(const SourceView& sources, std::size_t begin, std::size_t end, const double (&target)[3]) {
    const double* const x = sources.x[0];
    const double* const y = sources.x[1];
    const double* const z = sources.x[2];
    const double* const q = sources.q;
    const double at[3] = {target[0], target[1], target[2]};
    double potential = 0;
    double gx = 0;
    double gy = 0;
    double gz = 0;
    double squares = 0;
    double gradient_squares = 0;
#pragma omp simd reduction(+ : potential, gx, gy, gz, squares, gradient_squares)
    for (std::size_t j = begin; j < end; ++j) {
        const SourceSums term = term_of(x[j] - at[0], y[j] - at[1], z[j] - at[2], q[j]);
        potential += term.potential;
        gx += term.gradient[0];
        gy += term.gradient[1];
        gz += term.gradient[2];
        squares += term.squares;
        gradient_squares += term.gradient_squares;
    }
    return {potential, {gx, gy, gz}, squares, gradient_squares};
}

TargetSquares squares_of(const TargetSums& sums, std::size_t n, std::size_t n_ordered) {
    const bool is_sample = n_ordered < n;
    const double share = static_cast<double>(n) / static_cast<double>(n_ordered);
    const SourceSums& whole = is_sample ? sums.all : sums.ordered;
    TargetSquares squares;
    squares.potential = whole.potential * whole.potential;
    squares.gradient = norm_square(whole.gradient);
    squares.potential_terms = share * sums.ordered.squares;
    squares.gradient_terms = share * sums.ordered.gradient_squares;
    squares.potential_runs = share * sums.potential_runs;
    squares.gradient_runs = share * sums.gradient_runs;
    return squares;
}

/// The sums over runs.
/// \param ordered the sources, or a sample of them, along the curve
TargetSums sums_of_runs(const SourceView& ordered, const std::array<double, 3>& target) {
    const double at[3] = {target[0], target[1], target[2]};
    TargetSums sums;
    for (std::size_t begin = 0; begin < ordered.n; begin += run_length) {
        sums.add_run(sum_over(ordered, begin, std::min(begin + run_length, ordered.n), at));
    }
    return sums;
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
    const bool is_rare = all.size() >= most_looked_targets / 4 && 2 * largest > of_sums;
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

SpaceCancellation cancellation_in(const std::vector<TargetSquares>& squares) {
    using Target = TargetSquares;
    SpaceCancellation found;
    found.potential =
        ratios_of(squares, &Target::potential, &Target::potential_terms, &Target::potential_runs);
    found.gradient =
        ratios_of(squares, &Target::gradient, &Target::gradient_terms, &Target::gradient_runs);
    return found;
}

/// Terms below which waking threads takes longer than summing.
constexpr double few_terms_at_once = 1e6;

/// Adds the sums over all sources to those of each target, on all cores: a block of sources, which
/// caches hold, after the other.
void add_all(const SourceView& all, const Look& look, std::vector<TargetSums>& sums) {
    constexpr std::size_t block = 4096;
    const std::size_t n_blocks = (all.n + block - 1) / block;
    const std::size_t n_targets = sums.size();
    std::vector<SourceSums> parts(n_blocks * n_targets);
    const double n_terms = static_cast<double>(all.n) * static_cast<double>(n_targets);
#pragma omp parallel for schedule(dynamic) if (n_terms > few_terms_at_once)
    for (std::size_t b = 0; b < n_blocks; ++b) {
        for (std::size_t i = 0; i < n_targets; ++i) {
            const auto& target = look.targets[i];
            const double at[3] = {target[0], target[1], target[2]};
            const std::size_t end = std::min((b + 1) * block, all.n);
            parts[b * n_targets + i] = sum_over(all, b * block, end, at);
        }
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
        sums[k % n_targets].all.add(parts[k]);
    }
}

/// The sums of the caller's arrays, on all cores.
std::vector<TargetSums>
sums_on_cores(const PointsRef& points, std::span<const double> strengths, const Look& look) {
    const SourceArrays ordered = chosen(points, strengths, look.order);
    const SourceView all{
        {points.x[0].data(), points.x[1].data(), points.x[2].data()},
        strengths.data(),
        points.size()};
    std::vector<TargetSums> sums(look.targets.size());
    const double n_terms = static_cast<double>(ordered.q.size()) * static_cast<double>(sums.size());
#pragma omp parallel for schedule(dynamic) if (n_terms > few_terms_at_once)
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] = sums_of_runs(ordered.view(), look.targets[i]);
    }
    if (ordered.q.size() < all.n) {
        add_all(all, look, sums);
    }
    return sums;
}

/// Whether potentials cannot cancel.
bool have_one_sign(std::span<const double> strengths) {
    const auto are_not = [&](auto sign) { return std::ranges::none_of(strengths, sign); };
    return are_not([](double q) { return q < 0; }) || are_not([](double q) { return q > 0; });
}

void keep_larger(const Cancellation& other, Cancellation& worst) {
    worst.terms = std::max(worst.terms, other.terms);
    worst.runs = std::max(worst.runs, other.runs);
}

} // namespace

double offset_of(const PointsRef& sources, const PointsRef& targets) {
    double side = 0;
    double farthest = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto [least, most] = std::ranges::minmax(sources.x[d]);
        const auto [least_target, most_target] = std::ranges::minmax(targets.x[d]);
        const double low = std::min(least, least_target);
        const double high = std::max(most, most_target);
        side = std::max(side, high - low);
        farthest = std::max({farthest, -low, high});
    }
    return side > 0 ? farthest / side : 0;
}

std::vector<std::uint32_t> along_curve(const PointsRef& points, std::size_t n_points) {
    constexpr double boxes = std::uint32_t(1) << deepest_level<3>;
    std::array<double, 3> low{};
    double side = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto [least, most] = std::ranges::minmax(points.x[d]);
        low[d] = least;
        side = std::max(side, most - least);
    }
    const double per_side = side > 0 ? (boxes - 1) / side : 0;
    const std::size_t n = std::min(points.size(), most_ordered);
    std::vector<std::pair<DeepCode, std::uint32_t>> places(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t j = i * points.size() / n;
        std::array<std::uint32_t, 3> at{};
        for (std::size_t d = 0; d < 3; ++d) {
            at[d] = static_cast<std::uint32_t>((points.x[d][j] - low[d]) * per_side);
        }
        // the points may be the evenly chosen ones of more
        const std::size_t number = n_points == points.size() ? j : i * n_points / n;
        places[i] = {deep_code<3>(at), static_cast<std::uint32_t>(number)};
    }
    std::ranges::sort(places);
    std::vector<std::uint32_t> order(n);
    std::ranges::transform(places, order.begin(), [](const auto& place) { return place.second; });
    return order;
}

Cancellations::Cancellations(const PointsRef& sources, const PointsRef& targets, SpaceResult result)
    : sources_(sources), result_(result),
      n_pairs_(static_cast<double>(sources.size()) * static_cast<double>(targets.size())) {
    const std::size_t n_targets = std::max(
        std::clamp(most_terms / sources.size(), most_looked_targets / 4, most_looked_targets),
        std::min(few_terms / sources.size(), many_targets)
    );
    look_.targets.resize(std::min(targets.size(), n_targets));
    const auto which = random_targets(targets.size(), look_.targets.size(), 1);
    for (std::size_t i = 0; i < which.size(); ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
            look_.targets[i][d] = targets.x[d][which[i]];
        }
    }
}

SpaceCancellation Cancellations::of(std::span<const StrengthsRef> strengths) {
    SpaceCancellation worst;
    worst.result = result_;
    worst.n_pairs = n_pairs_;
    for (const StrengthsRef& each : strengths) {
        look_at(each.re, worst);
        look_at(each.im, worst);
    }
    return worst;
}

void Cancellations::look_at(std::span<const double> strengths, SpaceCancellation& worst) {
    const bool has_gradient = result_ == SpaceResult::with_gradient;
    const bool cancels = !strengths.empty() && !have_one_sign(strengths);
    if (strengths.empty() || !(cancels || has_gradient)) {
        return;
    }
    if (look_.order.empty()) {
        look_.order = along_curve(sources_, sources_.size());
    }
    keep_larger(
        cancellation_of_sums(
            sums_on_cores(sources_, strengths, look_), sources_.size(), look_.order.size()
        ),
        cancels,
        worst
    );
}

SpaceCancellation cancellation_of_sums(
    const std::vector<TargetSums>& sums, std::size_t n_sources, std::size_t n_ordered
) {
    std::vector<TargetSquares> squares(sums.size());
    std::ranges::transform(sums, squares.begin(), [&](const TargetSums& each) {
        return squares_of(each, n_sources, n_ordered);
    });
    return cancellation_in(squares);
}

void keep_larger(const SpaceCancellation& found, bool cancels, SpaceCancellation& worst) {
    if (cancels) {
        keep_larger(found.potential, worst.potential);
    }
    if (worst.result == SpaceResult::with_gradient) {
        keep_larger(found.gradient, worst.gradient);
    }
}

SpaceCancellation cancellation_of(
    const PointsRef& sources,
    std::span<const StrengthsRef> strengths,
    const PointsRef& targets,
    SpaceResult result
) {
    return Cancellations(sources, targets, result).of(strengths);
}

double rounding_of_mixed(const SpaceCancellation& cancellation) {
    // what cancels further than random signs do may lie in heaps, where roundings are alike
    const auto of_runs = [](double runs) { return runs > 2 ? 2 * runs : runs; };
    return std::max(
        potential_rounding * of_runs(cancellation.potential.runs),
        gradient_rounding / gradient_allowance_in_space * of_runs(cancellation.gradient.runs)
    );
}

double rounding_of_single(const SpaceCancellation& cancellation, double reach) {
    const double of_runs = std::max(
        cancellation.potential.runs, 3 / gradient_allowance_in_space * cancellation.gradient.runs
    );
    return reach * std::max(excess_of(cancellation), of_runs > usual ? of_runs : 1);
}

double excess_of(const SpaceCancellation& cancellation) {
    const double of_gradients = gradient_allowance_in_space / 3;
    const double excess =
        std::max(cancellation.potential.terms, cancellation.gradient.terms / of_gradients);
    return excess > usual ? excess : 1;
}

} // namespace starfmm
