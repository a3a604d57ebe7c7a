// SPDX-License-Identifier: BSD-3-Clause
// Numbers as reports write them.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace starfmm {

/// As printf() does.
template <class... T>
std::string print_number(const char* format, T... values) {
    std::array<char, 64> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(), format, values...));
    return text.data();
}

/// "12.3 ms"
[[nodiscard]] std::string time_text(double seconds);

/// A share of 1: "12 %", "1.2 %"
[[nodiscard]] std::string percent_text(double share);

/// With a prefix of its unit: "1.23 M"
[[nodiscard]] std::string prefixed_text(double value);

} // namespace starfmm
