// SPDX-License-Identifier: BSD-3-Clause
// The call of a CUDA body.
#pragma once

#include "codelets/task/codelet.hpp"

namespace starfmm {

/// Calls a body. In a build for benchmarks (STARFMM_SLOWED_GPUS) the arithmetic of what cores may
/// share takes many times as long, as on a GPU of fewer double-precision units, whose transfers and
/// sorts are as fast.
void run_cuda_body(BodyFunction body, void* buffers[], TaskArgs& args);

/// Returns how many times as long arithmetic takes: STARFMM_SLOWED_GPUS, else 1.
[[nodiscard]] int gpu_slowing();

} // namespace starfmm
