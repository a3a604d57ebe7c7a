// SPDX-License-Identifier: BSD-3-Clause
// Chooses method, tree and separation of a plan by predicting their times.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"
#include "schedulers/costs/choice.hpp"
#include "schedulers/costs/cost_model.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <span>
#include <string>

namespace starfmm {

/// Whether `options` leave to the cost model what to do.
[[nodiscard]] bool is_automatic(const PlanOptions& options);

/// PlanShape::wave_tolerance of a sum whose pairs take these terms.
[[nodiscard]] double
wave_tolerance(const PlanOptions& options, PairTerms terms, const WorkerCounts& workers);

/// The fastest of what `options` leave open, as `costs` predict it: levels, of an octree roots and
/// the size of leaves; theta, if levels, leaf size and order are open too; the method. O(levels)
/// predictions.
/// \throws InputError if the levels asked for have more leaves than there are sources
[[nodiscard]] Choice choose(
    const PlanOptions& options,
    const KernelTraits& kernel,
    const ProblemSize& size,
    const UnitCosts& costs,
    const WorkerCounts& workers
);

/// The machine and the runtime's workers, for the keys of caches.
[[nodiscard]] std::string machine_key(const Runtime& runtime);

/// Whether to measure once more: the machine was busy with other things, and may not always be, or
/// review_costs() found them wrong. A busy machine is asked a few times, then once an hour.
[[nodiscard]] bool is_worth_repeating(const MeasuredCosts& measured);

/// Seconds of a whole sum, from points to results.
struct SumTimes {
    double predicted_s = 0; ///< 0: nothing was
    double measured_s = 0;
};

/// Looks at what a sum and its tasks, if they are recorded, took that were predicted by costs from
/// a cache, at the second evaluation: in the first, GPUs load code. If an operator that matters was
/// off by more than 2 x, or the sum took less than half of its time, costs are measured anew for
/// the next plan, in whatever process; after a few measurements they stay for an hour.
void review_costs(
    Runtime& runtime, KernelSet& kernel, const SumTimes& sum, std::span<const TaskRecord> records
);

/// Costs for a plan of `options` and `size`: those that the runtime remembers, else the cache
/// file's, else measured if the plan is large enough to be worth it, and cached; else built in. A
/// driver calls it to keep measuring out of its own timings; a plan calls it anyway.
[[nodiscard]] TunedCosts tuned_costs(
    Runtime& runtime, KernelSet& kernel, const PlanOptions& options, const ProblemSize& size
);

} // namespace starfmm
