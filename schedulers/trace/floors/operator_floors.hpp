// SPDX-License-Identifier: BSD-3-Clause
// A floor is the least time that an operator can take on units whose rates were measured.
#pragma once

#include "schedulers/trace/model.hpp"

#include <optional>
#include <string>

namespace starfmm {

/// Work a second of an operator that is bounded only by its unit's rate: operations over the rate
/// of the unit that does them, bytes over bandwidth (docs/performance.md, "What a sum must cost",
/// and tests/perf/gpu/gpu_floors.hpp). Empty where the unit or the kernel is not known.
[[nodiscard]] std::optional<double> floor_rate(const TraceOperator& op, const TraceWorker& worker);

/// Whether the library knows floors for a worker.
[[nodiscard]] bool has_floors(const TraceWorker& worker);

/// Returns the name of what a worker computes with, taken from StarPU's name for GPUs.
/// \param core name of the machine's cores
[[nodiscard]] std::string unit_of(const std::string& worker, const std::string& core);

} // namespace starfmm
