// SPDX-License-Identifier: BSD-3-Clause
// Included by the sources of the gather bodies, as codelets/sets/instantiate.hpp is by kernels'.
#pragma once

#include "codelets/sets/kernel_set.hpp"

#ifdef __CUDACC__
#include "codelets/exchange/gather.cuh"

namespace starfmm {

using CurrentBackend = Cuda;

template <class Real, class Backend>
GatherBodies gather_bodies() {
    return {strengths_cuda<Real>, gather_cuda<Real>, gather_begin};
}

} // namespace starfmm

#else
#include "codelets/exchange/gather.hpp"
#include "codelets/simd/simd.hpp"

namespace starfmm {

using CurrentBackend = CurrentIsa;

template <class Real, class Backend>
GatherBodies gather_bodies() {
    return {strengths_cpu<Real, Backend>, gather_cpu<Real, Backend>, gather_begin};
}

} // namespace starfmm
#endif
