// SPDX-License-Identifier: BSD-3-Clause
// A build without CUDA.
#include "codelets/cuda_devices.hpp"

namespace starfmm {

int n_cuda_devices() {
    return 0;
}

} // namespace starfmm
