// SPDX-License-Identifier: BSD-3-Clause
// The overlap says how much of the traversal on cores hides behind what GPUs do meanwhile.
#pragma once

#include "schedulers/trace/model.hpp"

namespace starfmm {

/// Seconds of a run in which at least one of some workers was busy.
struct Overlap {
    double lists_s = 0; ///< cores with interaction lists (connect)
    double gpus_s = 0;  ///< GPUs with any task, from the first list on
    double both_s = 0;  ///< both at the same time

    /// Fraction of the shorter time that did not run beside the other, in [0, 1] [FT19 sec. 5].
    [[nodiscard]] double unhidden() const;
};

/// Measures the overlap; all times are 0 unless cores find lists beside GPUs. O(n log n).
[[nodiscard]] Overlap overlap_of(const Trace& trace);

} // namespace starfmm
