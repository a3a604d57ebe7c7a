// SPDX-License-Identifier: BSD-3-Clause
// Which options of a plan serve the strengths at hand.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"
#include "core/reference/cancellation.hpp"

#include <string>

namespace starfmm {

/// Options of a plan, and what they came to.
struct SuitedOptions {
    PlanOptions plan;
    std::string why_direct{}; ///< why all pairs are summed though the method is open; else empty
};

/// A plan's tolerance is for strengths of random sign. Where terms cancel further, it has to be the
/// smaller: these are the options whose expansions have the tolerance of `options`. Where no order
/// does, all pairs are summed, whatever method is asked for; in single precision, where single
/// pairs lose as much, expansions are as precise as it allows. An order of the user's own stays.
/// \param kernel in space
/// \throws InputError where no order does and there are more than 1e12 pairs, a quarter of an
/// hour of a core
[[nodiscard]] SuitedOptions suited_to_strengths(
    const KernelTraits& kernel, const PlanOptions& options, const SpaceCancellation& cancellation
);

} // namespace starfmm
