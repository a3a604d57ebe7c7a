// SPDX-License-Identifier: BSD-3-Clause
// Sums over pairs in extended precision and the conditions that they have, from their definition:
// nothing here is the library's but the arrays, so that no fault is shared with it.
#pragma once

#include "core/options.hpp"
#include "core/points.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

static_assert(
    std::numeric_limits<long double>::digits >= 64,
    "references need more digits than double precision has"
);

/// Sum of numbers as exact as if each were added with twice the digits: what additions lose is
/// kept, by Neumaier.
class CarefulSum {
public:
    void add(long double term) {
        const long double next = sum_ + term;
        const bool term_is_smaller = std::abs(sum_) >= std::abs(term);
        lost_ += term_is_smaller ? (sum_ - next) + term : (term - next) + sum_;
        sum_ = next;
    }

    [[nodiscard]] long double value() const { return sum_ + lost_; }

private:
    long double sum_ = 0;
    long double lost_ = 0;
};

/// sum_j q_j G_ij at one target, and how its terms G_ij q_j make it sensitive to roundings.
struct ExactSum {
    long double re = 0;
    long double im = 0;
    long double magnitude = 0;  ///< sum of |q_j G_ij|
    long double squares = 0;    ///< sum of |q_j G_ij|^2
    long double slope = 0;      ///< sum of |q_j dG_ij/dz_j|
    long double strength = 0;   ///< sum of |q_j|
    long double strengths2 = 0; ///< sum of |q_j|^2

    [[nodiscard]] long double value() const { return std::hypot(re, im); }
};

/// Harmonic: sum of q_j / (z_j - z); log: of q_j log|z - z_j|; over the sources elsewhere than `z`.
inline ExactSum exact_sum(
    starfmm::KernelKind kernel,
    const starfmm::Points<2>& sources,
    const starfmm::Strengths& strengths,
    double x,
    double y
) {
    ExactSum sum;
    CarefulSum re;
    CarefulSum im;
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const long double dx = static_cast<long double>(sources.x[0][j]) - x;
        const long double dy = static_cast<long double>(sources.x[1][j]) - y;
        if (dx == 0 && dy == 0) {
            continue;
        }
        const long double inverse = 1 / (dx * dx + dy * dy);
        const long double inverse_distance = std::sqrt(inverse);
        const long double q_re = strengths.re[j];
        const long double q_im = strengths.im.empty() ? 0 : strengths.im[j];
        const long double q2 = q_re * q_re + q_im * q_im;
        const long double q = strengths.im.empty() ? std::abs(q_re) : std::sqrt(q2);
        long double size = inverse_distance;
        if (kernel == starfmm::KernelKind::harmonic) {
            re.add((q_re * dx + q_im * dy) * inverse);
            im.add((q_im * dx - q_re * dy) * inverse);
            sum.slope += q * inverse;
        } else {
            const long double logarithm = -std::log(inverse) / 2;
            re.add(q_re * logarithm);
            im.add(q_im * logarithm);
            size = std::abs(logarithm);
            sum.slope += q * inverse_distance;
        }
        sum.magnitude += q * size;
        sum.squares += q2 * size * size;
        sum.strength += q;
        sum.strengths2 += q2;
    }
    sum.re = re.value();
    sum.im = im.value();
    return sum;
}

/// At the targets `which`, on all cores.
inline std::vector<ExactSum> exact_sums(
    starfmm::KernelKind kernel,
    const starfmm::Points<2>& sources,
    const starfmm::Strengths& strengths,
    const starfmm::Points<2>& targets,
    const std::vector<std::size_t>& which
) {
    std::vector<ExactSum> sums(which.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < which.size(); ++i) {
        const std::size_t target = which[i];
        sums[i] = exact_sum(kernel, sources, strengths, targets.x[0][target], targets.x[1][target]);
    }
    return sums;
}
