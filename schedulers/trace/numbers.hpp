// SPDX-License-Identifier: BSD-3-Clause
// Numbers are written in one way by all reports.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace starfmm {

/// Formats values in the way of printf().
template <class... T>
std::string print_number(const char* format, T... values) {
    std::array<char, 64> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(), format, values...));
    return text.data();
}

/// Writes a time as "12.3 ms".
[[nodiscard]] std::string time_text(double seconds);

/// Writes a share of 1 as "12 %" or "1.2 %".
[[nodiscard]] std::string percent_text(double share);

/// Writes a number with a prefix of its unit, as "1.23 M".
[[nodiscard]] std::string prefixed_text(double value);

} // namespace starfmm
