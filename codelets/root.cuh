// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of root.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/root.hpp"

namespace starfmm {

template <class Real>
__global__ void root_kernel(const __grid_constant__ RootTask<Real> task) {
    task.run();
}

template <class Real>
void root_cuda(void* buffers[], void* args) {
    root_kernel<Real><<<1, 1, 0, cuda_stream()>>>(RootTask<Real>::unpack(buffers, args));
    check_cuda(cudaGetLastError(), "launch of root_kernel");
}

} // namespace starfmm
