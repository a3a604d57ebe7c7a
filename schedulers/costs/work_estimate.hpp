// SPDX-License-Identifier: BSD-3-Clause
// What a tree will have to do, known before it is built: lengths of the lists of evenly spread
// points.
#pragma once

#include <cstddef>

namespace starfmm {

/// Counts over a whole plan.
struct WorkEstimate {
    double boxes = 0; ///< boxes of all levels
    double far = 0;   ///< M2L translations
    double near = 0;  ///< (target leaf, source leaf) pairs
    double pairs = 0; ///< (target, source) pairs of those leaves
};

/// Counts of a tree of `levels` levels below its root: from four levels on, within a tenth of those
/// of uniform points for theta in [0.5, 0.7]. Other distributions have longer lists, alike for all
/// levels. O(levels).
/// \param n_sources, n_targets may be the same points
/// \param theta separation, (0, 1)
[[nodiscard]] WorkEstimate
estimate_work(std::size_t n_sources, std::size_t n_targets, int levels, double theta);

} // namespace starfmm
