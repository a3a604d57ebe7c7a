// SPDX-License-Identifier: BSD-3-Clause
// How much work a tree in space makes, by which times are predicted: its translations take fewer
// terms the farther apart boxes are.
#pragma once

#include "core/tree/domain.hpp"
#include "schedulers/costs/work_estimate.hpp"

#include <cstddef>

namespace starfmm {

/// An octree of leaves of one level.
struct SpaceTree {
    int levels = 0;        ///< levels below the root; from 3 on where roots are not min_roots
    int roots = min_roots; ///< PlanOptions::roots
};

/// Boxes a side of the finest level that the points' cube takes: 2^levels, or roots / 8 of that.
[[nodiscard]] double cells_a_side(const SpaceTree& tree);

/// Counts, and how many terms M2L needs of those that depend on the rate of convergence rho: the
/// share s = log(theta) / log(rho) of a pair (TruncationOrders), its mean, and those of its powers.
struct SpaceWork {
    WorkEstimate counts;
    double share = 1;
    double share2 = 1;
    double share3 = 1;
};

/// Counts of a tree with at least four cells a side and 8 points a leaf: within 15 % of those of
/// uniform points for theta in [0.4, 0.75]. O(levels).
/// \param n_sources, n_targets may be the same points
/// \param theta separation, (0, 1)
[[nodiscard]] SpaceWork estimate_work_in_space(
    std::size_t n_sources, std::size_t n_targets, const SpaceTree& tree, double theta
);

} // namespace starfmm
