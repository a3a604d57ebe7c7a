// SPDX-License-Identifier: BSD-3-Clause
// Which options of a plan serve the strengths at hand.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"
#include "core/reference/cancellation.hpp"

namespace starfmm {

/// A plan's tolerance is for strengths of random sign. Where terms cancel further, it has to be the
/// smaller: these are the options whose sums have the tolerance of `options`, in double precision.
/// Where no order does and the method is open, all pairs are summed, unless they are more than 1e9;
/// else the tolerance is the least that there is an order for.
/// \param kernel in space, in double precision
[[nodiscard]] PlanOptions suited_to_strengths(
    const KernelTraits& kernel, const PlanOptions& options, const SpaceCancellation& cancellation
);

} // namespace starfmm
