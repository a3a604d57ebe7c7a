// SPDX-License-Identifier: BSD-3-Clause
// The task graph of sort and connect: from the user's points to boxes and interaction lists.
#pragma once

#include "core/points.hpp"
#include "schedulers/pyramid_data.hpp"
#include "schedulers/runtime.hpp"

namespace starfmm {

/// Sorts and connects. On return everything that an evaluation needs is known; arrays may still be
/// in flight.
/// \param data sizes and options are set, groups are not
/// \param targets not read if `data.sets` is one
void build_topology(
    Runtime& runtime,
    GeometrySet& codelets,
    PyramidData& data,
    const Points<2>& sources,
    const Points<2>& targets,
    double limit
);

} // namespace starfmm
