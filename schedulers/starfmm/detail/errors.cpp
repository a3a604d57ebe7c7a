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
    const std::vector<long double>* least
) {
    std::vector<double> each;
    long double of_errors = 0;
    long double of_values = 0;
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
        const long double scale = std::sqrt(value);
        each.push_back(
            error_ratio(std::sqrt(error), least == nullptr ? scale : std::max(scale, (*least)[i]))
        );
    }
    std::ranges::sort(each);
    return {
        part.name,
        error_ratio(std::sqrt(of_errors), std::sqrt(of_values)),
        quantile(each, 0.5),
        quantile(each, 0.99),
        each.back()};
}

} // namespace

Errors errors_of(
    const KernelShape& shape,
    const Components& values,
    const ExactValues& exact,
    const std::vector<std::size_t>& which
) {
    Errors errors{which.size(), {}, false};
    for (std::size_t p = 0; p < shape.values.size(); ++p) {
        const auto* const least = exact.least.empty() ? nullptr : &exact.least[p];
        errors.parts.push_back(errors_of_part(shape.values[p], values, exact, which, least));
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
             {&PartErrors::l2, &PartErrors::median, &PartErrors::p99, &PartErrors::max}) {
            worst.parts[p].*error = std::max(worst.parts[p].*error, errors.parts[p].*error);
        }
    }
}

bool are_within(const Errors& errors, const KernelShape& shape, const Tolerance& tolerance) {
    const auto is_within = [&](const PartErrors& part, double allowance) {
        return tolerance.of() == Tolerance::Of::l2 ? part.l2 <= allowance * tolerance.value()
                                                   : part.median <= allowance * tolerance.value() &&
                                                         part.p99 <= allowance * tolerance.p99();
    };
    for (std::size_t p = 0; p < errors.parts.size(); ++p) {
        if (!is_within(errors.parts[p], shape.values[p].allowance)) {
            return false;
        }
    }
    return true;
}

} // namespace starfmm::detail
