// SPDX-License-Identifier: BSD-3-Clause
// Who makes a sum of gravity where there are GPUs and cores.
#pragma once

#include "codelets/sets/gravity_set.hpp"
#include "core/options.hpp"
#include "schedulers/plan/gravity.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>

namespace starfmm {

/// What a pair of bodies takes on each kind of worker: from the cache, else measured in a tenth of
/// a second and cached.
/// \throws StarpuError, CudaError if tasks fail
[[nodiscard]] OperatorCosts
measured_gravity_costs(const Runtime& runtime, const GravityOptions& options);

/// Cost of a GPU's tasks, where a pair of a large one takes `pair_s` seconds: fewer targets than
/// `gpu_rows` take as long.
[[nodiscard]] TaskCost gravity_cost_of_gpu(double pair_s);

/// Predicted seconds of a sum over n bodies.
[[nodiscard]] TeamTimes
gravity_team_times(std::size_t n, const OperatorCosts& costs, const WorkerCounts& workers);

/// Who is predicted to end first; all together, only if that gains a tenth.
[[nodiscard]] Team fastest_team(const TeamTimes& times);

} // namespace starfmm
