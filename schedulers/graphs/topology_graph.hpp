// SPDX-License-Identifier: BSD-3-Clause
// The task graph of sort and connect: from the user's points to boxes and interaction lists.
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/runtime/user_array.hpp"

namespace starfmm {

/// Submits sort and, for one group of a pyramid, connect. Returns once the tasks have taken what
/// they need of the user's arrays; lists and arrays may still be in flight.
/// \param data sizes, options and make_groups() are set
/// \param targets not read if `data.sets` is one
/// \returns whether all coordinates are in range. Where one is not tasks run all the same, whose
///          results mean nothing
/// \throws InputError naming the first coordinate that is not finite
[[nodiscard]] bool build_topology(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    PointArrays sources,
    PointArrays targets
);

/// Waits until the boxes of an orthtree are counted, and submits what connects them. Does nothing
/// the second time.
void finish_growing(TreeData& data);

/// Connects several groups, whose roots it waits for; waits for the lengths of the lists, and
/// connects anew where a list was longer than guessed. Does nothing the second time.
void finish_topology(Runtime& runtime, GeometrySet& codelets, TreeData& data);

} // namespace starfmm
