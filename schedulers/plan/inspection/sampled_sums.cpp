// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/sampled_sums.hpp"

#include "core/particles/spread.hpp"
#include "core/reference/error_ratio.hpp"
#include "schedulers/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace starfmm {

namespace {

/// Number of targets to look at: more of them, or all, where their sums take no time.
/// \param n,m numbers of bodies and of targets
std::size_t sample_size(std::size_t n, std::size_t m) {
    constexpr std::size_t few_pairs = std::size_t(1) << 22U;
    return std::min(m, std::max<std::size_t>(few_pairs / n, 512));
}

/// Draws some of n targets at random, one of each of as many runs of them: they may be in any order.
std::vector<std::size_t> sample_of(std::size_t n, std::size_t size) {
    std::vector<std::size_t> which(size);
    std::mt19937_64 random(1); // the same for the same number of targets
    for (std::size_t k = 0; k < which.size(); ++k) {
        const std::size_t begin = k * n / which.size();
        const std::size_t end = (k + 1) * n / which.size();
        which[k] = begin + random() % (end - begin);
    }
    return which;
}

/// Those of the largest sums, ascending. O(n)
std::vector<std::size_t> largest_of(const AccelerationsRef& found, std::size_t size) {
    std::vector<double> lengths(found.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const double length = std::hypot(found.a[0][i], found.a[1][i], found.a[2][i]);
        lengths[i] = std::isnan(length) ? 0 : length;
    }
    std::vector<std::size_t> which(found.size());
    std::iota(which.begin(), which.end(), std::size_t(0));
    const auto end = which.begin() + static_cast<std::ptrdiff_t>(std::min(size, which.size()));
    std::nth_element(which.begin(), end, which.end(), [&](std::size_t a, std::size_t b) {
        return lengths[a] > lengths[b];
    });
    which.erase(end, which.end());
    std::ranges::sort(which);
    return which;
}

} // namespace

SampledSums::SampledSums(
    Runtime& runtime,
    KernelSet& kernel,
    const SumPlaces& places,
    std::span<const double> masses,
    double epsilon,
    const AccelerationsRef& found
)
    : n_all_(places.targets.size()), n_random_(sample_size(places.bodies.size(), n_all_)),
      which_(sample_of(n_all_, n_random_)) {
    if (places.has_targets || evenness(masses) < least_evenness) {
        // a heavy body's neighbours in the nearest boxes that are well separated from its own
        constexpr std::size_t few_pairs = std::size_t(1) << 24U;
        constexpr std::size_t least = 256;
        largest_ = largest_of(found, std::max(few_pairs / places.bodies.size(), least));
        which_.insert(which_.end(), largest_.begin(), largest_.end());
    }
    Points<3> sample;
    for (std::size_t d = 0; d < 3; ++d) {
        for (const std::size_t i : which_) {
            sample.x[d].push_back(places.targets.x[d][i]);
        }
    }
    std::vector<double> lengths;
    for (std::size_t k = 0; k < which_.size() && !places.targets.lengths.empty(); ++k) {
        lengths.push_back(places.targets.lengths[which_[k]]);
    }
    PointsRef targets(sample);
    targets.lengths = lengths;
    PlanOptions options;
    options.method = Method::direct;
    options.tuning = Tuning::builtin;
    options.epsilon = epsilon;
    exact_.re.resize(which_.size());
    for (std::vector<double>& component : exact_.gradient) {
        component.resize(which_.size());
    }
    const StrengthsRef strengths(masses);
    const ResultsRef results = results_ref(exact_, 4);
    Plan(runtime, kernel, places.bodies, targets, options).evaluate({&strengths, 1}, {&results, 1});
}

bool SampledSums::confirm(
    const AccelerationsRef& found, const AccelerationErrors& most, double factor
) const {
    std::size_t beyond_median = 0;
    std::size_t beyond_p99 = 0;
    for (std::size_t k = 0; k < n_random_; ++k) {
        double error = 0;
        double norm = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const double exact = factor * exact_.gradient[d][k];
            error = std::hypot(error, found.a[d][which_[k]] - exact);
            norm = std::hypot(norm, exact);
        }
        const double ratio = error_ratio(error, norm);
        beyond_median += ratio > most.median ? 1 : 0;
        beyond_p99 += ratio > most.p99 ? 1 : 0;
    }
    return beyond_median <= most_beyond(0.5) && beyond_p99 <= most_beyond(0.01);
}

/// The largest number of the sample beyond a bound that fewer than one of 20 samples would keep if
/// `share` of all targets were beyond it: 1.75 standard deviations less than there would be.
std::size_t SampledSums::most_beyond(double share) const {
    const auto size = static_cast<double>(n_random_);
    const double left = 1 - size / static_cast<double>(n_all_);
    const double deviation = std::sqrt(left * size * share * (1 - share));
    return static_cast<std::size_t>(std::max(size * share - 1.75 * deviation, 0.0));
}

double SampledSums::l2(const AccelerationsRef& found, double factor) const {
    using Real = long double; // has room for fourth powers
    std::vector<Real> errors(which_.size());
    std::vector<Real> norms(which_.size());
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t k = 0; k < which_.size(); ++k) {
            const Real exact = Real(factor) * exact_.gradient[d][k];
            const Real error = found.a[d][which_[k]] - exact;
            errors[k] += error * error;
            norms[k] += exact * exact;
        }
    }
    // the largest count as they are, the random ones among the others for all of these
    const auto counts = [&](std::size_t k) {
        return k >= n_random_ || !std::ranges::binary_search(largest_, which_[k]);
    };
    std::size_t n_others = 0;
    for (std::size_t k = 0; k < n_random_; ++k) {
        n_others += counts(k) ? 1 : 0;
    }
    const std::size_t n_all_others = n_all_ - largest_.size();
    const Real each = static_cast<Real>(n_all_others) / std::max<std::size_t>(n_others, 1);
    Real norm = 0;
    Real all = 0;
    for (std::size_t k = 0; k < which_.size(); ++k) {
        const Real weight = k < n_random_ ? each : 1;
        norm += counts(k) ? weight * norms[k] : 0;
        all += counts(k) ? weight * errors[k] : 0;
    }
    Real variance = 0; // of a ratio of two sums over a sample
    for (std::size_t k = 0; k < n_random_ && norm > 0; ++k) {
        const Real residual = counts(k) ? each * (errors[k] - all / norm * norms[k]) : 0;
        variance += residual * residual;
    }
    const Real deviations = largest_.empty() ? 0 : 3;
    const Real left = 1 - n_others / std::max<Real>(n_all_others, 1);
    return error_ratio(std::sqrt(all + deviations * std::sqrt(left * variance)), std::sqrt(norm));
}

} // namespace starfmm
