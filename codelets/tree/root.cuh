// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of root.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/root.hpp"

namespace starfmm {

template <int D>
__global__ void root_kernel(const __grid_constant__ RootTask<D> task) {
    task.run();
}

template <int D>
void root_cuda(const RootTask<D>& task) {
    root_kernel<<<1, 1, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of root_kernel");
}

} // namespace starfmm
