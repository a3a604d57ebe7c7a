// SPDX-License-Identifier: BSD-3-Clause
// Whether the order of a gravity tree serves the bodies at hand.
#pragma once

#include "core/expansions/cartesian_order.hpp"
#include "core/options.hpp"
#include "core/particles/points.hpp"

namespace starfmm {

/// Separation and order of Cartesian Taylor expansions.
struct CartesianChoice {
    double theta;
    int order;
    double heavy = 0; ///< PlanOptions::heavy_theta
};

/// By how much the part of accelerations that expansions leave out exceeds that of an order `rule`
/// of bodies that are spread in the tree's cubes, which its errors were measured of: of a sample of
/// the pairs. 0 where no boxes are far from each other. O(1).
/// \param roots along a side of the tree's cube
[[nodiscard]] double
left_out_of_bodies(const PointsRef& points, int roots, const CartesianChoice& choice, int rule);

/// The order for these errors where bodies are spread. Where many lie upon the cubes' corners, as
/// of a few places that are taken many times, the least higher one that leaves out no more; where
/// none does, with a smaller theta.
/// \param rule what spread bodies take
/// \throws InputError naming the tolerance if there is none
[[nodiscard]] CartesianChoice suit_bodies(
    const PointsRef& points,
    int roots,
    const AccelerationErrors& most,
    const CartesianChoice& rule,
    bool may_lower_theta
);

} // namespace starfmm
