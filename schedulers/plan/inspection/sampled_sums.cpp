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

constexpr std::size_t n_looked_at = 512;

/// Draws targets at random, one of each of as many runs of them: they may be in any order.
std::vector<std::size_t> sample_of(std::size_t n) {
    std::vector<std::size_t> which(std::min(n, n_looked_at));
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
    const Strengths& masses,
    double epsilon
)
    : n_all_(places.targets.size()), which_(sample_of(n_all_)) {
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
    exact_ = Plan(runtime, kernel, places.bodies, targets, options).evaluate(masses);
}

bool SampledSums::confirm(
    const std::array<std::vector<double>, 3>& gradient, const AccelerationErrors& most
) const {
    std::size_t beyond_median = 0;
    std::size_t beyond_p99 = 0;
    for (std::size_t k = 0; k < which_.size(); ++k) {
        double error = 0;
        double norm = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const double exact = exact_.gradient[d][k];
            error = std::hypot(error, gradient[d][which_[k]] - exact);
            norm = std::hypot(norm, exact);
        }
        const double ratio = error_ratio(error, norm);
        beyond_median += ratio > most.median ? 1 : 0;
        beyond_p99 += ratio > most.p99 ? 1 : 0;
    }
    // if half of all targets were beyond, 240 of 512 would in 9 of 10 samples; if one of a hundred,
    // two in 96 of 100
    return 32 * beyond_median <= 15 * which_.size() && beyond_p99 <= 1;
}

double SampledSums::l2(const std::array<std::vector<double>, 3>& gradient, double factor) const {
    double error = 0;
    double norm = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t k = 0; k < which_.size(); ++k) {
            const double exact = factor * exact_.gradient[d][k];
            error = std::hypot(error, gradient[d][which_[k]] - exact);
            norm = std::hypot(norm, exact);
        }
    }
    return error_ratio(error, norm);
}

double
SampledSums::most_l2(const std::array<std::vector<double>, 3>& gradient, double factor) const {
    using Real = long double; // has room for fourth powers
    std::vector<Real> errors(which_.size());
    std::vector<Real> norms(which_.size());
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t k = 0; k < which_.size(); ++k) {
            const Real exact = Real(factor) * exact_.gradient[d][k];
            const Real error = gradient[d][which_[k]] - exact;
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
