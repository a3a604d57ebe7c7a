// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of root.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/root.hpp"

namespace starfmm {

inline __global__ void root_kernel(const __grid_constant__ RootTask task) {
    task.run();
}

inline void RootTask::cuda(const RootTask& task) {
    root_kernel<<<1, 1, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of root_kernel");
}

} // namespace starfmm
