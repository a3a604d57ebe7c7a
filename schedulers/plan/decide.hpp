// SPDX-License-Identifier: BSD-3-Clause
// Decisions say what a plan will do: options name it, and predictions choose what options leave
// open.
#pragma once

#include "core/options.hpp"
#include "schedulers/costs/tuning.hpp"
#include "schedulers/plan/plan_info.hpp"

namespace starfmm {

/// Decides method, theta, order, and levels or leaf size.
/// \throws InputError for a tolerance that neither the precision nor any order can meet, or levels
/// with more leaves than there are sources
[[nodiscard]] PlanInfo
decide(Runtime& runtime, KernelSet& kernel, const PlanOptions& asked, const ProblemSize& size);

/// Returns the options with nothing left open: their plans are those of `options` for as many
/// points, whatever costs are then known.
[[nodiscard]] PlanOptions as_decided(const PlanOptions& options, const PlanInfo& decided);

} // namespace starfmm
