// SPDX-License-Identifier: BSD-3-Clause
// What operators can do at best on units whose rates were measured.
#pragma once

#include "schedulers/trace/model.hpp"

#include <optional>
#include <string>

namespace starfmm {

/// Work a second of an operator where nothing but its unit's rate bounds it: operations over the
/// rate of the unit that does them, bytes over bandwidth (docs/performance.md, "What a sum must
/// cost", and tests/perf/gpu/gpu_floors.hpp). No value where the unit or the kernel is not known.
[[nodiscard]] std::optional<double> floor_rate(const TraceOperator& op, const TraceWorker& worker);

/// Whether there are floors for a worker at all.
[[nodiscard]] bool has_floors(const TraceWorker& worker);

/// What a worker computes with: of GPUs from StarPU's name for them.
/// \param core what its cores are
[[nodiscard]] std::string unit_of(const std::string& worker, const std::string& core);

} // namespace starfmm
