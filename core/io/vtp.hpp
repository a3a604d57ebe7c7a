// SPDX-License-Identifier: BSD-3-Clause
// VTK's XML format of points with values (PolyData, .vtp), which ParaView and VisIt open.
#pragma once

#include "core/particles/points.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// Values at the points: a scalar, or the three components of a vector.
struct PointField {
    std::string name;
    std::array<std::span<const double>, 3> components{}; ///< a scalar's behind the first: empty
};

/// Writes float64 coordinates and values as appended raw data, and one cell that has all points, so
/// that programs show them. The file appears complete or not at all.
/// \param points points in space
/// \param fields as many values as there are points, under names that XML takes as they are
/// \throws OutputError, WriteError
void write_vtp(
    const std::string& path, const PointsRef& points, std::span<const PointField> fields
);

} // namespace starfmm
