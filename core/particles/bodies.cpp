// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/bodies.hpp"

#include "core/error.hpp"
#include "core/parallel_copy.hpp"
#include "core/particles/points.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <string>

namespace starfmm {

namespace {

/// Whether threads are worth waking for an array of n values, one of the four of as many bodies.
bool are_many(std::ptrdiff_t n) {
    return 4 * n > few_values;
}

/// Magnitudes compare as their bits do, and all that is not finite compares as larger.
std::uint64_t magnitude_bits(double value) {
    return std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t(1) << 63U);
}

/// x, y, z, mass.
using BodyArrays = std::array<std::span<const double>, 4>;

BodyArrays arrays_of(const BodiesRef& bodies) {
    return {bodies.x[0], bodies.x[1], bodies.x[2], bodies.mass};
}

constexpr const char* array_names[]{"bodies.x", "bodies.y", "bodies.z", "bodies.mass"};

/// Bits of the largest magnitude among a thread's share of the values, in lanes, which need not
/// wait for each other. To be called by every thread of a team.
std::uint64_t largest_of_share(std::span<const double> values) {
    constexpr std::ptrdiff_t lanes = 8;
    std::uint64_t most[lanes] = {};
    const double* in = values.data();
    const auto n = static_cast<std::ptrdiff_t>(values.size());
#pragma omp for schedule(static) nowait
    for (std::ptrdiff_t i = 0; i < n / lanes; ++i) {
        for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
            most[lane] = std::max(most[lane], magnitude_bits(in[i * lanes + lane]));
        }
    }
    for (std::ptrdiff_t i = n / lanes * lanes; i < n; ++i) {
        most[0] = std::max(most[0], magnitude_bits(in[i]));
    }
    return *std::max_element(most, most + lanes);
}

/// Largest magnitudes; not finite if one value is not. By one team for all arrays: starting a team
/// takes as long as reading some thousands of values.
std::array<double, 4> largest(const BodyArrays& arrays) {
    std::uint64_t result[4] = {};
    const auto n = static_cast<std::ptrdiff_t>(arrays[3].size());
#pragma omp parallel reduction(max : result) num_threads(copy_threads(n)) if (are_many(n))
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        result[i] = largest_of_share(arrays[i]);
    }
    std::array<double, 4> values{};
    std::transform(std::begin(result), std::end(result), values.begin(), [](std::uint64_t bits) {
        return std::bit_cast<double>(bits);
    });
    return values;
}

/// \throws InputError unless all are as long as the masses
void check_lengths(const BodyArrays& arrays, std::size_t n_bodies) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].size() != n_bodies) {
            throw InputError(
                std::string(array_names[i]) + " has " + std::to_string(arrays[i].size()) +
                " values, bodies.mass has " + std::to_string(n_bodies) + ": must be equal"
            );
        }
    }
}

std::array<double, 4> checked_largest(const BodiesRef& bodies) {
    const BodyArrays arrays = arrays_of(bodies);
    check_lengths(arrays, bodies.size());
    constexpr double limit = max_magnitude(false);
    const std::array<double, 4> values = largest(arrays);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (!(values[i] <= limit)) {
            check_finite(arrays[i], array_names[i], limit); // throws, naming the value
        }
    }
    return values;
}

} // namespace

double unit_of(double largest) {
    constexpr double smallest = 0x1p-500; // its inverse must be finite, and its square
    int exponent = 0;
    const double mantissa = std::frexp(std::max(largest, smallest), &exponent);
    return largest == 0 ? 1 : std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

double largest_length(std::span<const double> lengths, const std::string& what) {
    check_finite(lengths, what, max_magnitude(false));
    const auto negative = std::ranges::find_if(lengths, [](double x) { return x < 0; });
    if (negative != lengths.end()) {
        std::ostringstream message;
        message << what << "[" << negative - lengths.begin() << "] = " << *negative
                << ": must not be negative";
        throw InputError(message.str());
    }
    return lengths.empty() ? 0 : *std::ranges::max_element(lengths);
}

double largest_epsilon(const BodiesRef& bodies, Softening softening) {
    const std::span<const double> epsilon = bodies.epsilon;
    if (softening != Softening::splines) {
        if (!epsilon.empty()) {
            throw InputError("bodies.epsilon: lengths of bodies' own take softening = splines");
        }
        return 0;
    }
    if (epsilon.size() != bodies.size()) {
        throw InputError(
            "bodies.epsilon has " + std::to_string(epsilon.size()) + " values, bodies.mass has " +
            std::to_string(bodies.size()) + ": must be equal"
        );
    }
    return largest_length(epsilon, "bodies.epsilon");
}

GravityUnits gravity_units(const BodiesRef& bodies, double epsilon) {
    const auto [x, y, z, mass] = checked_largest(bodies);
    return {unit_of(std::max({epsilon, x, y, z})), unit_of(mass)};
}

void scale_sums(const SumFactors& factors, const AccelerationsRef& out) {
    const SumFactors by = factors;
    double* const potential = out.potential.data();
    const std::array<double*, 3> a{out.a[0].data(), out.a[1].data(), out.a[2].data()};
    const bool has_potential = !out.potential.empty();
    const auto n = static_cast<std::ptrdiff_t>(out.size());
#pragma omp parallel for num_threads(copy_threads(n)) if (are_many(n))
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        if (has_potential) {
            potential[i] *= by.potential;
        }
        for (double* const component : a) {
            component[i] *= by.acceleration;
        }
    }
}

} // namespace starfmm
