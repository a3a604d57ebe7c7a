// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/detail/errors.hpp"

#include "core/reference/error_ratio.hpp"

#include <algorithm>
#include <cmath>

namespace starfmm::detail {

namespace {

/// The value that `share` of the sorted ones do not exceed.
double quantile(const std::vector<double>& sorted, double share) {
    const auto n = static_cast<double>(sorted.size());
    const auto i = static_cast<std::size_t>(std::ceil(share * n));
    return sorted[std::clamp<std::size_t>(i, 1, sorted.size()) - 1];
}

PartErrors errors_of_part(
    const ValuePart& part,
    const Components& values,
    const ExactValues& exact,
    const std::vector<std::size_t>& which,
    const std::vector<long double>& magnitudes
) {
    constexpr long double of_terms = 0x1p-50L; // of their magnitudes, which a sum's rounding leaves
    std::vector<double> each;
    long double of_errors = 0;
    long double of_values = 0;
    long double of_roundings = 0;
    for (std::size_t i = 0; i < which.size(); ++i) {
        long double error = 0;
        long double value = 0;
        for (std::size_t c = part.first; c < part.first + part.size; ++c) {
            const long double right = exact.components[c][i];
            const long double off = values[c][which[i]] - right;
            error += off * off;
            value += right * right;
        }
        of_errors += error;
        of_values += value;
        const long double rounding = of_terms * magnitudes[i];
        of_roundings += rounding * rounding;
        each.push_back(error_ratio(
            std::sqrt(error), std::max(std::sqrt(value), exact.least_share * magnitudes[i])
        ));
    }
    std::ranges::sort(each);
    return {
        part.name,
        error_ratio(std::sqrt(of_errors), std::sqrt(of_values)),
        quantile(each, 0.5),
        quantile(each, 0.99),
        each.back(),
        error_ratio(std::sqrt(of_roundings), std::sqrt(of_values))};
}

bool is_within(const PartErrors& part, double allowance, const Tolerance& tolerance) {
    const auto most = [&](double error) { return allowance * error + part.rounding; };
    return tolerance.of() == Tolerance::Of::l2
               ? part.l2 <= most(tolerance.value())
               : part.median <= most(tolerance.value()) && part.p99 <= most(tolerance.p99());
}

} // namespace

Errors errors_of(
    const KernelShape& shape,
    const Components& values,
    const ExactValues& exact,
    const std::vector<std::size_t>& which,
    const Tolerance& tolerance
) {
    Errors errors{which.size(), {}, true};
    for (std::size_t p = 0; p < shape.values.size(); ++p) {
        const ValuePart& part = shape.values[p];
        errors.parts.push_back(errors_of_part(part, values, exact, which, exact.magnitudes[p]));
        errors.are_allowed =
            errors.are_allowed && is_within(errors.parts.back(), part.allowance, tolerance);
    }
    return errors;
}

void keep_larger(const Errors& errors, Errors& worst) {
    if (worst.parts.empty()) {
        worst = errors;
        return;
    }
    for (std::size_t p = 0; p < errors.parts.size(); ++p) {
        for (double PartErrors::*error :
             {&PartErrors::l2,
              &PartErrors::median,
              &PartErrors::p99,
              &PartErrors::max,
              &PartErrors::rounding}) {
            worst.parts[p].*error = std::max(worst.parts[p].*error, errors.parts[p].*error);
        }
    }
    worst.are_allowed = worst.are_allowed && errors.are_allowed;
}

} // namespace starfmm::detail
