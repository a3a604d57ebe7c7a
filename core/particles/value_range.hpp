// SPDX-License-Identifier: BSD-3-Clause
// Whether the user's values are such that arithmetic takes them as they are.
#pragma once

#include "core/particles/points.hpp"

#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// Magnitudes; zero is in every range.
struct ValueRange {
    double lowest;
    double highest;

    friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// Whether all values are in `range`. O(n), by several cores if there are many.
/// \param what name of the values in messages
/// \throws InputError naming the first value that is not finite
[[nodiscard]] bool
are_in(const ValueRange& range, std::span<const double> values, const std::string& what);

/// Does what are_in() does, and copies the values: one pass over memory instead of two.
[[nodiscard]] bool copy_if_finite(
    const ValueRange& range, std::span<const double> values, const std::string& what, double* out
);

/// max |x|; 0 of none.
[[nodiscard]] double largest_magnitude(std::span<const double> values);

/// The largest magnitude of a coordinate; 0 of no points.
[[nodiscard]] double largest_coordinate(const PointsRef& points);

/// The values times 2^exponent, in one rounding.
[[nodiscard]] std::vector<double> scaled(std::span<const double> values, int exponent);

} // namespace starfmm
