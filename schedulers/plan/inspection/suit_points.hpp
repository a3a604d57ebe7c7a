// SPDX-License-Identifier: BSD-3-Clause
// Whether the order that a tolerance asks for serves the points at hand.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"
#include "core/particles/points.hpp"
#include "schedulers/plan/plan_info.hpp"

namespace starfmm {

/// An octree's order is for points that are spread in its cubes. Where many lie upon the cubes'
/// corners, as on some lattices whose places are taken several times, pairs take terms by distance,
/// and the order is raised until a sample of them meets the tolerance; where none would, with a
/// smaller theta, unless the options name one. Leaves what is no octree, and an order that the
/// options name (docs/numerics.md). O(1): of a few thousand points and pairs.
/// \throws InputError if no order meets the tolerance with the theta asked for
void suit_points(
    PlanInfo& decided,
    const KernelTraits& kernel,
    const PlanOptions& options,
    const PointsRef& sources,
    const PointsRef& targets
);

} // namespace starfmm
