// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/solid_harmonics3d.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace starfmm {

namespace {

constexpr int most = 3 * max_degrees; ///< number of orders looked at: terms fall like theta^n

/// Returns the logarithms of (2 n)! for n <= 2 most: std::lgamma takes longer than all the rest.
const std::vector<double>& even_factorials() {
    static const std::vector<double> logarithms = [] {
        std::vector<double> sums{0};
        for (int n = 1; n <= 2 * most; ++n) {
            sums.push_back(sums.back() + std::log(2.0 * n * (2.0 * n - 1)));
        }
        return sums;
    }();
    return logarithms;
}

/// The factors of the mean squares of terms of degrees n and p, by order p and degree n <= p.
using ShellTerms = std::array<std::array<double, max_degrees + 1>, max_degrees + 1>;

const ShellTerms& shell_terms() {
    static const ShellTerms table = [] {
        ShellTerms terms{};
        for (int p = 0; p <= max_degrees; ++p) {
            double choose = 1;
            for (int n = 0; n <= p; ++n) {
                terms[p][n] = choose / ((2 * n + 1.0) * (2 * p + 1));
                choose *= (2.0 * (n + p) + 2) * (2.0 * (n + p) + 1) / ((2.0 * n + 2) * (2 * n + 1));
            }
        }
        return terms;
    }();
    return table;
}

/// Returns the mean square of the term of degrees n and j.
/// \param ratio logarithm of the square of radius over distance
double square_of_term(int n, int j, double ratio) {
    const std::vector<double>& factorials = even_factorials();
    const double choose = factorials[n + j] - factorials[n] - factorials[j];
    return std::exp(choose + (n + j) * ratio) / ((2 * n + 1.0) * (2 * j + 1));
}

/// Returns the means of the 2 n-th powers of the distances from a cube's centre, over half its
/// diagonal, by the multinomial sum for x^2 + y^2 + z^2, which begins with two of the three.
/// Corners of two cubes in line with both centres are rarer than they would be for balls with such
/// points: what that is worth was found from sums of uniform points (docs/numerics.md).
std::vector<double> weights_of_cube() {
    constexpr double rare = 13;
    const auto factorial = [&](int n) { return std::lgamma(n + 1.0); };
    std::vector<double> of_two;
    std::vector<double> weights;
    for (int n = 0; n < most; ++n) {
        of_two.push_back(0);
        double sum = 0;
        for (int i = 0; i <= n; ++i) {
            of_two[n] +=
                std::exp(-factorial(i) - factorial(n - i)) / ((2 * i + 1.0) * (2 * (n - i) + 1));
        }
        for (int k = 0; k <= n; ++k) {
            sum += std::exp(factorial(n) - factorial(n - k) - n * std::log(3)) * of_two[k] /
                   (2 * (n - k) + 1.0);
        }
        weights.push_back(sum / (1 + std::pow(n / rare, 3)));
    }
    return weights;
}

/// Returns the mean squares of what orders 0 to `most` leave out: the terms one of whose degrees is
/// not below the order.
std::vector<double> squares_left_out(double theta) {
    // what two balls that touch the criterion have of radius over distance
    const double ratio = 2 * std::log(theta / (1 + theta));
    static const std::vector<double> weights = weights_of_cube();
    std::vector<double> sums(most + 1, 0);
    for (int k = most - 1; k >= 0; --k) {
        double shell = square_of_term(k, k, ratio) * weights[k];
        for (int n = 0; n < k; ++n) {
            shell += 2 * square_of_term(n, k, ratio) * weights[n];
        }
        sums[k] = sums[k + 1] + shell * weights[k];
    }
    return sums;
}

/// Returns squares_left_out(), found once for each separation: tuning asks for several, for every
/// plan, and a sum takes a tenth of a millisecond.
std::vector<double> known_squares(double theta) {
    constexpr std::size_t most_known = 64;
    static std::mutex mutex;
    static std::map<double, std::vector<double>> known;
    const std::scoped_lock lock(mutex);
    const auto found = known.find(theta);
    if (found != known.end()) {
        return found->second;
    }
    if (known.size() == most_known) {
        known.clear();
    }
    return known[theta] = squares_left_out(theta);
}

} // namespace

double solid_square_left_out(int order, double source2, double target2) {
    const double source = std::sqrt(source2);
    const double target = std::sqrt(target2);
    const double rate = std::max(source / (1 - target), target / (1 - source));
    // the shell of terms one of whose degrees is the first left out, further ones fall by the rate
    const std::array<double, max_degrees + 1>& terms = shell_terms()[order];
    double of_source = terms[order] / 2;
    double of_target = of_source;
    double source_power = 1;
    double target_power = 1;
    for (int n = order - 1; n >= 0; --n) {
        of_source = of_source * source2 + terms[n];
        of_target = of_target * target2 + terms[n];
        source_power *= source2;
        target_power *= target2;
    }
    return (of_source * target_power + of_target * source_power) / (1 - rate * rate);
}

double solid_neighbours_error(int order) {
    static constexpr std::array<double, max_degrees> of_orders{
        1.6e-1,  2.9e-2,  7.2e-3,  2.1e-3,  6.7e-4,  2.3e-4,  8.5e-5,  3.2e-5,  1.3e-5,  5.4e-6,
        2.3e-6,  1.0e-6,  4.6e-7,  2.2e-7,  1.0e-7,  4.7e-8,  2.3e-8,  1.1e-8,  5.3e-9,  2.7e-9,
        1.4e-9,  6.6e-10, 3.2e-10, 1.7e-10, 8.8e-11, 4.5e-11, 2.4e-11, 1.3e-11, 6.6e-12, 3.6e-12,
        1.9e-12, 1.1e-12, 6.0e-13, 3.2e-13, 1.8e-13, 1.1e-13, 5.5e-14, 3.0e-14, 2.0e-14, 1.0e-14};
    return of_orders[order - 1];
}

int solid_neighbours_order(double tolerance) {
    constexpr double share = 0.225; // uneven points err up to four times as much
    int order = 1;
    while (order <= max_degrees && solid_neighbours_error(order) > share * tolerance) {
        ++order;
    }
    return order;
}

double solid_error(int order, double theta) {
    return std::sqrt(known_squares(theta)[order]);
}

int solid_order(double tolerance, double theta) {
    // Points of a lattice lie in the same directions in all boxes, so that their errors add up.
    constexpr double share = 0.4;
    const std::vector<double> squares = known_squares(theta);
    const auto serves = [&](int order) { return std::sqrt(squares[order]) <= share * tolerance; };
    int order = 1;
    while (order <= max_degrees && !serves(order)) {
        ++order;
    }
    return order;
}

} // namespace starfmm
