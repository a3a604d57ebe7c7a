// SPDX-License-Identifier: BSD-3-Clause
// Which options of a plan serve the strengths at hand.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"
#include "core/reference/cancellation.hpp"

#include <string>

namespace starfmm {

/// Pairs below which a sum takes no time, whatever its precision, and one may decide the error.
inline constexpr double few_pairs = 1U << 20U;

/// A precision, and why it is not the one that was asked for.
struct SuitedPrecision {
    Precision precision;
    std::string why{}; ///< empty where it is, or where the choice was open
};

/// The precision of sums in space that keeps the tolerance: the one that is asked for, where its
/// roundings, which are relative to the terms, are small enough beside the sums; else the next finer
/// one, of single, mixed and double. Precision::automatic is mixed where roundings come to at most
/// half the tolerance and pairs are many: of few, one may decide the error, and double costs
/// nothing.
[[nodiscard]] SuitedPrecision
suited_precision(Precision asked, const SpaceCancellation& cancellation, double tolerance);

/// Options of a plan, and what they came to.
struct SuitedOptions {
    PlanOptions plan;
    std::string why_direct{}; ///< why all pairs are summed though the method is open; else empty
};

/// A plan's tolerance is for strengths of random sign. Where terms cancel further, it has to be the
/// smaller: these are the options whose expansions have the tolerance of `options`. Where no order
/// does, all pairs are summed, whatever method is asked for. An order of the user's own stays.
/// \param kernel in space
/// \throws InputError where no order does and there are more than 1e12 pairs, a quarter of an
/// hour of a core
[[nodiscard]] SuitedOptions suited_to_strengths(
    const KernelTraits& kernel, const PlanOptions& options, const SpaceCancellation& cancellation
);

} // namespace starfmm
