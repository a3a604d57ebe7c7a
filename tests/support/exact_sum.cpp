// SPDX-License-Identifier: BSD-3-Clause
// Compiled for speed, unlike tests.
#include "tests/support/exact_sum.hpp"

#include <cmath>
#include <limits>

namespace {

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

ExactSpaceSum exact_sum(
    const starfmm::Points<3>& sources,
    const starfmm::Strengths& strengths,
    const std::array<double, 3>& y
) {
    ExactSpaceSum sum;
    CarefulSum potential;
    std::array<CarefulSum, 3> gradient;
    for (std::size_t j = 0; j < sources.size(); ++j) {
        std::array<long double, 3> d{};
        long double square = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            d[c] = static_cast<long double>(sources.x[c][j]) - y[c];
            square += d[c] * d[c];
        }
        if (square == 0) {
            continue;
        }
        const long double inverse = 1 / square; // divisions take most of the time
        const long double inverse_distance = std::sqrt(inverse);
        const long double term = strengths.re[j] * inverse_distance;
        const long double slope = term * inverse;
        potential.add(term);
        for (std::size_t c = 0; c < 3; ++c) {
            gradient[c].add(slope * d[c]);
        }
        sum.magnitude += std::abs(term);
        sum.gradient_magnitude += std::abs(term) * inverse_distance;
        sum.slope += std::abs(slope);
    }
    sum.potential = potential.value();
    for (std::size_t c = 0; c < 3; ++c) {
        sum.gradient[c] = gradient[c].value();
    }
    return sum;
}

} // namespace

ExactSum exact_sum(
    std::string_view kernel,
    const starfmm::Points<2>& sources,
    const starfmm::Strengths& strengths,
    double x,
    double y
) {
    ExactSum sum;
    const bool is_harmonic = kernel == "harmonic2d";
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
        if (is_harmonic) {
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

std::vector<ExactSum> exact_sums(
    std::string_view kernel,
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

std::vector<ExactSpaceSum> exact_sums(
    const starfmm::Points<3>& sources,
    const starfmm::Strengths& strengths,
    const starfmm::Points<3>& targets,
    const std::vector<std::size_t>& which
) {
    std::vector<ExactSpaceSum> sums(which.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < which.size(); ++i) {
        const std::size_t at = which[i];
        sums[i] =
            exact_sum(sources, strengths, {targets.x[0][at], targets.x[1][at], targets.x[2][at]});
    }
    return sums;
}
