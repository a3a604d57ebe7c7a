// SPDX-License-Identifier: BSD-3-Clause
// Measures what a unit of work costs on this machine.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "schedulers/costs/cost_model.hpp"
#include "schedulers/runtime/runtime.hpp"

namespace starfmm {

/// Costs of `kernel` on the runtime's workers, from the wall-clock times of about twenty sums of
/// uniform points. Takes 0.3 s on a CPU core, in space 1 s, whose workers pause meanwhile, and
/// about 0.2 s on a GPU. Leaves no records in the runtime.
/// \throws StarpuError, CudaError if tasks fail
[[nodiscard]] MeasuredCosts measure_costs(Runtime& runtime, KernelSet& kernel);

} // namespace starfmm
