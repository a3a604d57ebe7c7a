// SPDX-License-Identifier: BSD-3-Clause
// How bodies are spread: over space, and what they weigh.
#pragma once

#include "core/particles/points.hpp"

#include <span>

namespace starfmm {

/// The share of equal masses that would add up as these do, (sum m)^2 / (n sum m^2), in [0, 1]: 1
/// of equal ones, 3/4 of masses uniform in (0, 1), 1/n if one body has all mass, 0 of masses that
/// cancel. 1 where there is no mass. O(n)
/// \pre masses are finite
[[nodiscard]] double evenness(std::span<const double> masses);

/// The least of masses that are much alike.
inline constexpr double least_evenness = 0.5;

/// How many dimensions points fill: the power of the distance by which the number of pairs grows
/// between a 64th and an eighth of them, of a sample. 3 of bodies that fill space, whatever their
/// density; 2 on a surface, 1 on a line, 0 at a few places. 3 of fewer than two points. O(1)
[[nodiscard]] double filled_dimensions(const PointsRef& points);

} // namespace starfmm
