// SPDX-License-Identifier: BSD-3-Clause
// What a plan will do: as its options say, and as predictions choose what they leave open.
#pragma once

#include "core/options.hpp"
#include "schedulers/costs/tuning.hpp"
#include "schedulers/plan/plan_info.hpp"

namespace starfmm {

/// Method, theta, order, and levels or leaf size.
/// \throws InputError for a tolerance that neither the precision nor any order can meet, levels
/// with more leaves than there are sources
[[nodiscard]] PlanInfo
decide(Runtime& runtime, KernelSet& kernel, const PlanOptions& options, const ProblemSize& size);

/// The options with nothing left open: their plans are those of `options` for as many points,
/// whatever costs are then known.
[[nodiscard]] PlanOptions as_decided(const PlanOptions& options, const PlanInfo& decided);

} // namespace starfmm
