// SPDX-License-Identifier: BSD-3-Clause
// Seeded choices for tests with random options.
#pragma once

#include "core/particles/distributions.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

/// Seeded choices, the same with every standard library.
class Draws {
public:
    explicit Draws(std::uint64_t seed) : engine_(seed) {}

    double operator()(double low, double high) {
        return low + (high - low) * starfmm::uniform01(engine_);
    }

    bool chance(double probability) { return (*this)(0, 1) < probability; }

    /// A number in [0, n).
    std::size_t below(std::size_t n) {
        return static_cast<std::size_t>((*this)(0, static_cast<double>(n)));
    }

    /// Any order of magnitude alike.
    double power_of_ten(double low, double high) { return std::pow(10.0, (*this)(low, high)); }

    template <class T>
    T among(std::initializer_list<T> values) {
        return *(values.begin() + static_cast<std::ptrdiff_t>(below(values.size())));
    }

    std::uint64_t seed() { return engine_(); }

private:
    std::mt19937_64 engine_;
};
