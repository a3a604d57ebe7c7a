// SPDX-License-Identifier: BSD-3-Clause
// A build with CUDA.
#include "codelets/cuda_devices.hpp"

#include <cuda_runtime_api.h>

namespace starfmm {

int n_cuda_devices() {
    int n = 0;
    // Fails where there is no driver or no device: then there is none to use.
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

} // namespace starfmm
