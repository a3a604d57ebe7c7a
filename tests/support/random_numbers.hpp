// SPDX-License-Identifier: BSD-3-Clause
// Numbers that tests of sums draw.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

/// Uniform in [low, 1).
inline std::vector<double> random_numbers(std::size_t n, std::uint64_t seed, double low = 0) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> draw(low, 1);
    std::vector<double> numbers(n);
    std::ranges::generate(numbers, [&] { return draw(random); });
    return numbers;
}
