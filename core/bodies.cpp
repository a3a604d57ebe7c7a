// SPDX-License-Identifier: BSD-3-Clause
#include "core/bodies.hpp"

#include "core/error.hpp"
#include "core/parallel_copy.hpp"
#include "core/points.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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

/// Largest magnitude; not finite if one value is not. In lanes, which need not wait for each other.
double largest(const std::vector<double>& values) {
    constexpr std::ptrdiff_t lanes = 8;
    std::uint64_t result = 0;
    const double* in = values.data();
    const auto n = static_cast<std::ptrdiff_t>(values.size());
#pragma omp parallel reduction(max : result) num_threads(copy_threads()) if (are_many(n))
    {
        std::uint64_t most[lanes] = {};
#pragma omp for schedule(static) nowait
        for (std::ptrdiff_t i = 0; i < n / lanes; ++i) {
            for (std::ptrdiff_t lane = 0; lane < lanes; ++lane) {
                most[lane] = std::max(most[lane], magnitude_bits(in[i * lanes + lane]));
            }
        }
        result = std::max(result, *std::max_element(most, most + lanes));
    }
    for (std::ptrdiff_t i = n / lanes * lanes; i < n; ++i) {
        result = std::max(result, magnitude_bits(in[i]));
    }
    return std::bit_cast<double>(result);
}

double checked_largest(const std::vector<double>& values, const std::string& what) {
    constexpr double limit = max_magnitude(false);
    const double result = largest(values);
    if (!(result <= limit)) {
        check_finite(values, what, limit); // throws, naming the value
    }
    return result;
}

/// Smallest power of two that is at least `value`; 1 for 0.
double power_of_two(double value) {
    constexpr double smallest = 0x1p-500; // its inverse must be finite, and its square
    int exponent = 0;
    const double mantissa = std::frexp(std::max(value, smallest), &exponent);
    return value == 0 ? 1 : std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

void pack_body(const double (&x)[3], double mass, double* out) {
    std::copy_n(x, 3, out);
    out[3] = mass;
}

void pack_body(const double (&x)[3], double mass, float* out) {
    std::copy_n(x, 3, out);
    out[3] = static_cast<float>(mass);
}

void pack_split_body(const double (&x)[3], double mass, float* out) {
    pack_body(x, mass, out);
    for (int d = 0; d < 3; ++d) {
        out[4 + d] = static_cast<float>(x[d] - static_cast<double>(out[d]));
    }
    out[7] = 0;
}

template <class Real, class Pack>
void pack_all(
    const Bodies& bodies, const GravityUnits& units, std::size_t width, void* out, const Pack& pack
) {
    const double per_length = 1 / units.length;
    const double per_mass = 1 / units.mass;
    const auto n = static_cast<std::ptrdiff_t>(bodies.size());
    auto* const packed = static_cast<Real*>(out);
#pragma omp parallel for schedule(static) num_threads(copy_threads()) if (are_many(n))
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        const double x[3] = {
            bodies.x[0][i] * per_length, bodies.x[1][i] * per_length, bodies.x[2][i] * per_length};
        pack(x, bodies.mass[i] * per_mass, packed + i * static_cast<std::ptrdiff_t>(width));
    }
}

template <class Sum>
void scale(const Sum* in, std::size_t size, double factor, double* out) {
    const auto n = static_cast<std::ptrdiff_t>(size);
#pragma omp parallel for schedule(static) num_threads(copy_threads()) if (are_many(n))
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        out[i] = factor * static_cast<double>(in[i]);
    }
}

template <class Sum>
void unpack(const PackedSums& sums, const GravityUnits& units, double g, Accelerations& out) {
    const double potential = g * units.mass / units.length;
    const auto* values = static_cast<const Sum*>(sums.values);
    for (auto& component : out.a) {
        scale(values, sums.n, potential / units.length, component.data() + sums.begin);
        values += sums.n;
    }
    if (!out.potential.empty()) {
        scale(values, sums.n, -potential, out.potential.data() + sums.begin);
    }
}

} // namespace

GravityUnits gravity_units(const Bodies& bodies, double epsilon) {
    double length = epsilon;
    for (int d = 0; d < 3; ++d) {
        const std::string name = std::string("bodies.") + "xyz"[d];
        if (bodies.x[d].size() != bodies.size()) {
            throw InputError(
                name + " has " + std::to_string(bodies.x[d].size()) + " values, bodies.mass has " +
                std::to_string(bodies.size()) + ": must be equal"
            );
        }
        length = std::max(length, checked_largest(bodies.x[d], name));
    }
    return {power_of_two(length), power_of_two(checked_largest(bodies.mass, "bodies.mass"))};
}

void pack_bodies(
    const Bodies& bodies, const GravityUnits& units, GravityPrecision precision, void* out
) {
    const std::size_t width = packed_width(precision);
    switch (precision) {
    case GravityPrecision::double_precision:
        return pack_all<double>(bodies, units, width, out, [](const auto& x, double m, double* to) {
            pack_body(x, m, to);
        });
    case GravityPrecision::single_precision:
        return pack_all<float>(bodies, units, width, out, [](const auto& x, double m, float* to) {
            pack_body(x, m, to);
        });
    case GravityPrecision::mixed_precision:
        return pack_all<float>(bodies, units, width, out, [](const auto& x, double m, float* to) {
            pack_split_body(x, m, to);
        });
    }
}

void unpack_accelerations(
    const PackedSums& sums,
    const GravityUnits& units,
    double g,
    GravityPrecision precision,
    Accelerations& out
) {
    if (sum_bytes(precision) == sizeof(float)) {
        unpack<float>(sums, units, g, out);
    } else {
        unpack<double>(sums, units, g, out);
    }
}

} // namespace starfmm
