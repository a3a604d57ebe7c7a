// SPDX-License-Identifier: BSD-3-Clause
// How precise accelerations by Cartesian Taylor expansions are, and which order reaches a
// precision.
#pragma once

#include <span>

namespace starfmm {

/// Separation and order of Cartesian Taylor expansions.
struct CartesianChoice {
    double theta;
    int order;
    double heavy = 0; ///< PlanOptions::heavy_theta
};

/// Relative errors of accelerations over the bodies.
struct AccelerationErrors {
    double median;
    double p99; ///< error that 99 of 100 bodies do not exceed
};

/// Measured errors for masses of one sign in an octree (docs/gravity_tree.md).
/// \param order in [1, largest_cartesian_order]
/// \param heavy PlanOptions::heavy_theta, of which no more than theta counts
[[nodiscard]] AccelerationErrors cartesian_error(int order, double theta, double heavy = 0);

/// What decides whether boxes are well separated.
enum class CartesianSeparation {
    by_share, ///< the more bodies a box holds, the farther: of masses that are much alike
    by_theta  ///< all boxes alike
};

/// What serves tolerances, the largest first: both errors fall from one choice to the next, and
/// times rise.
[[nodiscard]] std::span<const CartesianChoice> cartesian_choices(CartesianSeparation separation);

/// Least order whose errors are at most those; largest_cartesian_order if none is.
[[nodiscard]] int cartesian_order(const AccelerationErrors& most, double theta, double heavy = 0);

} // namespace starfmm
