// SPDX-License-Identifier: BSD-3-Clause
#include "core/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace starfmm {

namespace {

/// Insertions, deletions and replacements that make b of a.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char letter : a) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (letter == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

} // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> offered) {
    constexpr std::size_t letters_a_slip = 3;
    std::size_t least = std::min<std::size_t>(2, name.size() / letters_a_slip) + 1;
    std::string nearest;
    for (const std::string& other : offered) {
        if (const std::size_t distance = edit_distance(name, other); distance < least) {
            least = distance;
            nearest = other;
        }
    }
    return nearest;
}

} // namespace starfmm
