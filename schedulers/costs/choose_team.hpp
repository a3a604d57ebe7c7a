// SPDX-License-Identifier: BSD-3-Clause
// Whether GPUs, cores or both make a sum.
#pragma once

#include "schedulers/costs/tuning.hpp"

namespace starfmm {

/// Costs where GPUs and cores share the work on expansions and pairs by their rates: both take the
/// same time for a unit of it, while the GPUs alone sort and connect.
/// \param cores costs of one CPU worker
[[nodiscard]] UnitCosts shared_costs(const UnitCosts& gpus, const UnitCosts& cores, int n_cpu);

/// Chooses as choose() does, for the team, of those that `options` leave open, that is predicted to
/// end first; for all workers together only if that gains a tenth.
/// \throws InputError as choose() does
[[nodiscard]] Choice choose_with_team(
    const PlanOptions& options,
    const KernelTraits& kernel,
    const ProblemSize& size,
    const MachineCosts& costs,
    const WorkerCounts& workers
);

} // namespace starfmm
