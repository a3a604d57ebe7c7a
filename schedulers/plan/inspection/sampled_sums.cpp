// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/sampled_sums.hpp"

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

} // namespace

SampledSums::SampledSums(
    Runtime& runtime,
    KernelSet& kernel,
    const SumPlaces& places,
    std::span<const double> masses,
    double epsilon
)
    : n_all_(places.targets.size()),
      which_(sample_of(n_all_, sample_size(places.bodies.size(), n_all_))) {
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
    for (std::size_t k = 0; k < which_.size(); ++k) {
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
    const auto size = static_cast<double>(which_.size());
    const double left = 1 - size / static_cast<double>(n_all_);
    const double deviation = std::sqrt(left * size * share * (1 - share));
    return static_cast<std::size_t>(std::max(size * share - 1.75 * deviation, 0.0));
}

double SampledSums::l2(const AccelerationsRef& found, double factor) const {
    double error = 0;
    double norm = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t k = 0; k < which_.size(); ++k) {
            const double exact = factor * exact_.gradient[d][k];
            error = std::hypot(error, found.a[d][which_[k]] - exact);
            norm = std::hypot(norm, exact);
        }
    }
    return error_ratio(error, norm);
}

double SampledSums::most_l2(const AccelerationsRef& found, double factor) const {
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
    const Real norm = std::accumulate(norms.begin(), norms.end(), Real(0));
    const Real all = std::accumulate(errors.begin(), errors.end(), Real(0));
    Real variance = 0; // of a ratio of two sums over a sample
    for (std::size_t k = 0; k < which_.size() && norm > 0; ++k) {
        const Real residual = errors[k] - all / norm * norms[k];
        variance += residual * residual;
    }
    const Real left = 1 - static_cast<Real>(which_.size()) / static_cast<Real>(n_all_);
    return error_ratio(std::sqrt(all + 3 * std::sqrt(left * variance)), std::sqrt(norm));
}

} // namespace starfmm
