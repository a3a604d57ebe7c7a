// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/distributions.hpp"
#include "core/tree/rank_sort.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using starfmm::RankSorter;
using starfmm::uniform01;

namespace {

struct ThisBuild;

struct Sequence {
    std::string name;
    std::function<double(std::size_t i, std::mt19937_64& engine)> value;
};

/// Makes sequences that defeat a sort that trusts one scale, one exponent, one order or the absence
/// of ties.
std::vector<Sequence> sequences() {
    constexpr double largest = std::numeric_limits<double>::max();
    constexpr double smallest = std::numeric_limits<double>::denorm_min();
    return {
        {"uniform", [](std::size_t, auto& engine) { return uniform01(engine); }},
        {"rising", [](std::size_t i, auto&) { return static_cast<double>(i); }},
        {"falling", [](std::size_t i, auto&) { return -static_cast<double>(i); }},
        {"equal", [](std::size_t, auto&) { return 0.1; }},
        {"few values", [](std::size_t i, auto&) { return static_cast<double>(i % 7); }},
        {"zeros of both signs", [](std::size_t i, auto&) { return i % 2 == 0 ? 0. : -0.; }},
        {"pairs", [](std::size_t i, auto&) { return std::sin(static_cast<double>(i | 1U)); }},
        {"clusters",
         [](std::size_t i, auto& engine) {
             return static_cast<double>(i % 2) + 1e-8 * uniform01(engine);
         }},
        {"powers", [](std::size_t i, auto&) { return std::ldexp(1, -static_cast<int>(i % 900)); }},
        {"scales of both signs",
         [](std::size_t i, auto& engine) {
             return (i % 2 == 0 ? 1 : -1) * std::exp(60 * uniform01(engine) - 30);
         }},
        {"an outlier",
         [](std::size_t i, auto& engine) { return i == 3 ? 1e30 : uniform01(engine); }},
        {"a range that overflows",
         [](std::size_t i, auto& engine) {
             return i < 2 ? (i == 0 ? largest : -largest) : uniform01(engine);
         }},
        {"denormal steps",
         [](std::size_t i, auto&) { return smallest * static_cast<double>(i * 7919 % 1013); }}};
}

void check_sorted(const std::vector<double>& x) {
    using Sorter = RankSorter<ThisBuild>;
    const std::size_t n = x.size();
    std::vector<typename Sorter::Record> records(2 * n);
    std::vector<double> sorted(n);
    std::vector<std::uint32_t> order(n);
    Sorter::sort(x.data(), n, records.data(), {sorted.data(), order.data()});

    std::vector<std::uint32_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0U);
    std::stable_sort(expected.begin(), expected.end(), [&x](std::uint32_t a, std::uint32_t b) {
        return x[a] < x[b];
    });
    CHECK(order == expected);
    std::size_t n_wrong = 0;
    for (std::size_t r = 0; r < n; ++r) {
        n_wrong += sorted[r] != x[order[r]] ? 1 : 0;
        n_wrong += std::signbit(sorted[r]) && sorted[r] == 0 ? 1 : 0;
    }
    CHECK(n_wrong == 0);
}

void check_sequences(std::size_t n) {
    for (const Sequence& sequence : sequences()) {
        CAPTURE(sequence.name);
        std::mt19937_64 engine(5);
        std::vector<double> x(n);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = sequence.value(i, engine);
        }
        check_sorted(x);
    }
}

} // namespace

TEST_CASE("rank_sort: by (value, index), as a stable sort") {
    // Sizes that need one bucket, several, and buckets that are split once and twice.
    for (const std::size_t n : {0, 1, 2, 3, 17, 1009, 4099, 100'003, 1'000'003}) {
        CAPTURE(n);
        check_sequences(n);
    }
}

TEST_CASE("rank_sort: every order of five values with a tie") {
    std::vector<double> x{-2, -1, 0, 0, 3};
    do {
        check_sorted(x);
    } while (std::next_permutation(x.begin(), x.end()));
}
