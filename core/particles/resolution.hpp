// SPDX-License-Identifier: BSD-3-Clause
// Whether points lie so close to each other that arithmetic takes them for one.
#pragma once

#include "core/particles/points.hpp"

#include <span>

namespace starfmm {

/// Whether no two points of all sets, times 2^exponent, that are not at the same place differ by
/// less than `shortest` in each coordinate.
///
/// Doubles that differ do so by an ulp of the smaller one at least. Only points with a coordinate
/// below 2^53 `shortest` can be that close, and only these are compared: O(n log n) of them,
/// besides one pass over all.
///
/// \param shortest a power of two
[[nodiscard]] bool are_resolved(std::span<const PointsRef> sets, int exponent, double shortest);

} // namespace starfmm
