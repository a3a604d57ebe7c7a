// SPDX-License-Identifier: BSD-3-Clause
// CUDA devices of this machine. Two definitions: with CUDA, and without.
#pragma once

namespace starfmm {

/// Devices that CUDA can use; 0 without a driver, and in builds without CUDA.
[[nodiscard]] int n_cuda_devices();

} // namespace starfmm
