// SPDX-License-Identifier: BSD-3-Clause
// The part of the task graph that brings values of the user's arrays, cut into chunks, to groups
// and back.
#pragma once

#include "schedulers/pyramid_data.hpp"
#include "schedulers/runtime.hpp"

#include <vector>

namespace starfmm {

/// Submits the way of values from chunks to groups.
/// \param values a handle a chunk
/// \returns a handle a group, whose points are in the order of its pieces
[[nodiscard]] std::vector<Handle> deal_values(
    Runtime& runtime,
    GeometrySet& codelets,
    PyramidData& data,
    std::vector<Handle>& values,
    int priority
);

/// Submits the way back.
/// \param groups as deal_values() returns them
/// \param values a handle a chunk, overwritten
void collect_values(
    Runtime& runtime,
    GeometrySet& codelets,
    PyramidData& data,
    std::vector<Handle>& groups,
    std::vector<Handle>& values,
    int priority
);

} // namespace starfmm
