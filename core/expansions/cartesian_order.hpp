// SPDX-License-Identifier: BSD-3-Clause
// How precise accelerations by Cartesian Taylor expansions are, and which order reaches a
// precision.
#pragma once

#include <span>

namespace starfmm {

/// Relative errors of accelerations over the bodies.
struct AccelerationErrors {
    double median;
    double p99; ///< that 99 of 100 bodies do not exceed
};

/// Of masses of one sign in an octree, measured (docs/gravity_tree.md).
/// \param order in [1, largest_cartesian_order]
/// \param heavy PlanOptions::heavy_theta, of which no more than theta counts
[[nodiscard]] AccelerationErrors cartesian_error(int order, double theta, double heavy = 0);

/// Separations for which they were measured, falling: those between share their lists with the
/// smaller one next to them.
[[nodiscard]] std::span<const double> cartesian_thetas();

/// The same of those of heavy boxes, beside the largest theta.
[[nodiscard]] std::span<const double> cartesian_heavy_thetas();

/// Least order whose errors are at most those; largest_cartesian_order if none is.
[[nodiscard]] int cartesian_order(const AccelerationErrors& most, double theta, double heavy = 0);

} // namespace starfmm
