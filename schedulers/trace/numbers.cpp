// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/numbers.hpp"

#include <cmath>
#include <string_view>

namespace starfmm {

namespace {

/// Writes three digits, and the prefix from "n" to "T" that leaves at most three before the point.
std::string three_digits(double value) {
    constexpr std::string_view prefixes = "num kMGT";
    constexpr int unit = 3; // position of no prefix
    int prefix = unit;
    while (std::abs(value) >= 999.5 && prefix + 1 < static_cast<int>(prefixes.size())) {
        value /= 1000;
        ++prefix;
    }
    while (value != 0 && std::abs(value) < 0.9995 && prefix > 0) {
        value *= 1000;
        --prefix;
    }
    const double size = std::abs(value);
    const int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : 2;
    const std::string number = print_number("%.*f ", decimals, value);
    return prefix == unit ? number : number + prefixes[static_cast<std::size_t>(prefix)];
}

} // namespace

std::string time_text(double seconds) {
    constexpr double least = 1e-10; // smaller times are rounding
    return three_digits(std::abs(seconds) < least ? 0 : seconds) + "s";
}

std::string percent_text(double share) {
    constexpr double least = 5e-4; // smaller shares are written as nothing, without a sign
    const double written = std::abs(share) < least ? 0 : share;
    return print_number(std::abs(share) < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * written);
}

std::string prefixed_text(double value) {
    std::string text = three_digits(value);
    if (text.ends_with(' ')) {
        text.pop_back();
    }
    return text;
}

} // namespace starfmm
