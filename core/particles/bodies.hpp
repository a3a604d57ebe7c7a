// SPDX-License-Identifier: BSD-3-Clause
// Point masses, what gravity does to them, and both as tasks see them: interleaved, in units in
// which no number is large.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace starfmm {

/// Point masses in the user's order and units.
struct Bodies {
    std::array<std::vector<double>, 3> x; ///< x[d][i]: coordinate d of body i
    std::vector<double> mass;             ///< masses of any sign; 0: a test body

    [[nodiscard]] std::size_t size() const { return mass.size(); }
};

/// Results in the order of the bodies.
struct Accelerations {
    std::array<std::vector<double>, 3> a; ///< a[d][i]: component d of body i's acceleration
    /// Potential at each body, without its own mass; empty: not asked for.
    std::vector<double> potential;

    [[nodiscard]] std::size_t size() const { return a[0].size(); }
};

/// What pairs and sums are computed in.
enum class GravityPrecision {
    double_precision,
    single_precision,
    mixed_precision ///< positions of 48 bits, pairs in single, sums in double precision
};

/// What the bodies are within epsilon of each other: points are the limit of both.
enum class Softening {
    plummer, ///< Plummer's model, which is softer at any distance [MTM13 Eq 1]
    spline   ///< balls of a cubic spline, Newton's points beyond 2.8 epsilon (core/laws/spline.hpp)
};

/// Powers of two that scaling by is exact.
struct GravityUnits {
    double length = 1; ///< at least every coordinate's magnitude, and epsilon
    double mass = 1;   ///< at least every mass's magnitude
};

/// Units for these bodies; those of several sets of bodies are the larger of each. O(N).
/// \throws InputError if arrays differ in length, or a value is not finite or exceeds 1e150
[[nodiscard]] GravityUnits gravity_units(const Bodies& bodies, double epsilon);

/// How sums over all bodies, a body's own among them, become potentials and accelerations.
struct SumFactors {
    double own; ///< what a body of mass 1 adds to its own potential's sum
    double potential;
    double acceleration;
};

/// Takes a body's own part from `out` and multiplies it by the factors. O(n)
void scale_sums(const Bodies& bodies, const SumFactors& factors, Accelerations& out);

/// Numbers that a packed body takes: x, y, z, mass; mixed: and the low parts of x, y, z, 0.
[[nodiscard]] constexpr std::size_t packed_width(GravityPrecision precision) {
    return precision == GravityPrecision::mixed_precision ? 8 : 4;
}

/// Bytes of a number in a packed body, and of one in a sum.
[[nodiscard]] constexpr std::size_t packed_bytes(GravityPrecision precision) {
    return precision == GravityPrecision::double_precision ? sizeof(double) : sizeof(float);
}

[[nodiscard]] constexpr std::size_t sum_bytes(GravityPrecision precision) {
    return precision == GravityPrecision::single_precision ? sizeof(float) : sizeof(double);
}

/// Writes all bodies, packed, to `out` [size][packed_width], by several cores if there are many.
void pack_bodies(
    const Bodies& bodies, const GravityUnits& units, GravityPrecision precision, void* out
);

/// Sums of bodies [begin, begin + n).
struct PackedSums {
    const void* values; ///< [3 or 4][n]; the fourth: minus the potential
    std::size_t begin;
    std::size_t n;
};

/// Writes these sums to `out`, which has the size of all bodies, in the user's units.
void unpack_accelerations(
    std::span<const PackedSums> parts,
    const GravityUnits& units,
    double g,
    GravityPrecision precision,
    Accelerations& out
);

} // namespace starfmm
