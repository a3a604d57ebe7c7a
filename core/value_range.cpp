// SPDX-License-Identifier: BSD-3-Clause
#include "core/value_range.hpp"

#include "core/parallel_copy.hpp"
#include "core/points.hpp"

#include <cmath>
#include <limits>

namespace starfmm {

namespace {

constexpr double largest_finite = std::numeric_limits<double>::max();

/// Without a branch, so that loops over it are limited by memory. False for NaN.
bool is_in(const ValueRange& range, double value) {
    const double magnitude = std::abs(value);
    return static_cast<bool>(
        static_cast<int>(magnitude <= range.highest) &
        (static_cast<int>(magnitude >= range.lowest) | static_cast<int>(magnitude == 0))
    );
}

/// Names the first value that is not finite, if the fast pass has found one to be out of range.
bool verdict(bool all_in, const std::vector<double>& values, const std::string& what) {
    if (!all_in) {
        check_finite(values, what, largest_finite);
    }
    return all_in;
}

} // namespace

bool are_in(const ValueRange& range, const std::vector<double>& values, const std::string& what) {
    const ValueRange own = range;
    bool all_in = true;
    const double* in = values.data();
    const auto n = static_cast<std::ptrdiff_t>(values.size());
#pragma omp parallel for schedule(dynamic, copy_block) reduction(&& : all_in) num_threads(copy_threads()) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        all_in = is_in(own, in[i]) && all_in;
    }
    return verdict(all_in, values, what);
}

bool copy_if_finite(
    const ValueRange& range, const std::vector<double>& values, const std::string& what, double* out
) {
    const ValueRange own = range;
    bool all_in = true;
    const double* in = values.data();
    const auto n = static_cast<std::ptrdiff_t>(values.size());
#pragma omp parallel for schedule(dynamic, copy_block) reduction(&& : all_in) num_threads(copy_threads()) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        all_in = is_in(own, in[i]) && all_in;
        out[i] = in[i];
    }
    return verdict(all_in, values, what);
}

double largest_magnitude(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) {
        largest = std::fmax(largest, std::abs(value));
    }
    return largest;
}

std::vector<double> scaled(const std::vector<double>& values, int exponent) {
    std::vector<double> out(values.size());
    const auto n = static_cast<std::ptrdiff_t>(values.size());
#pragma omp parallel for schedule(dynamic, copy_block)                                             \
    num_threads(copy_threads()) if (n > few_values)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        out[i] = std::ldexp(values[i], exponent);
    }
    return out;
}

} // namespace starfmm
