// SPDX-License-Identifier: BSD-3-Clause
// This part of the task graph finds the group that each point of the user's arrays belongs to,
// where the arrays are cut into chunks.
#pragma once

#include "schedulers/graphs/topology/point_check.hpp"
#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <vector>

namespace starfmm {

/// Submits the splits above the groups, round by round on all chunks, and waits for them.
/// Afterwards the sizes of all pieces are known, in `data.chunks`.
/// \param coordinates x, y, z, each with a handle for each chunk
/// \param check check of the points, begun before the host waits
void split_points(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    std::vector<std::vector<Handle>>& coordinates,
    PointCheck& check
);

} // namespace starfmm
