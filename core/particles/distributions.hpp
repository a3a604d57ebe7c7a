// SPDX-License-Identifier: BSD-3-Clause
// Seeded point sets and strengths: the same seed gives the same values with every standard library.
#pragma once

#include "core/particles/points.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace starfmm {

enum class Distribution { uniform, normal, layer, circle, plummer, lattice };
inline constexpr Distribution all_distributions[]{
    Distribution::uniform,
    Distribution::normal,
    Distribution::layer,
    Distribution::circle,
    Distribution::plummer,
    Distribution::lattice};

enum class StrengthSign { random, positive };
enum class StrengthType { real, complex };

/// What the names of distributions are about: in space the circle is a `sphere`.
enum class Naming { plane, space };

/// \throws InputError listing the allowed names unless `name` is one of the enumerators.
Distribution parse_distribution(const std::string& name, Naming naming = Naming::plane);

/// The name that parse_distribution() takes.
[[nodiscard]] const char* name_of(Distribution distribution, Naming naming = Naming::plane);

/// Whether sigma changes its points.
[[nodiscard]] bool has_width(Distribution distribution);

/// Uniform in [0, 1), a multiple of 2^-53. Replaces std::uniform_real_distribution, whose results
/// differ between standard libraries.
inline double uniform01(std::mt19937_64& engine) {
    return static_cast<double>(engine() >> 11U) * 0x1p-53;
}

/// `n` points in the unit square (cube), about its centre c = (0.5, 0.5[, 0.5]):
/// - uniform: independent coordinates in [0, 1);
/// - normal: variance sigma^2 about c, rejected to the unit square;
/// - layer: uniform but for the last coordinate, which is as in `normal` [GE12 Fig 5.8];
/// - circle: uniform on the circle (sphere) of radius 0.5 about c;
/// - plummer: Plummer's model of radius sigma about c (2D: its projection), cut off at 0.5 from c;
/// - lattice: the first n points, x fastest, of the cell-centred lattice of ceil(n^(1/D)) a side.
/// \param sigma width, in [1e-15, 1e3]
/// \throws InputError if `sigma` is out of range.
template <int D>
Points<D> make_points(Distribution distribution, std::size_t n, double sigma, std::uint64_t seed);

/// `n` strengths, each part uniform in [-1, 1) (random) or in (0, 1] (positive). The real parts do
/// not depend on `type`; the stream is another one than that of make_points with the same seed.
Strengths make_strengths(std::size_t n, StrengthSign sign, StrengthType type, std::uint64_t seed);

} // namespace starfmm
