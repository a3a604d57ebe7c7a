// SPDX-License-Identifier: BSD-3-Clause
// Included by the sources of the gravity bodies, as codelets/sets/instantiate.hpp is by kernels'.
#pragma once

#include "codelets/sets/gravity_set.hpp"

#ifdef __CUDACC__
#include "codelets/pairs/gravity.cuh"

namespace starfmm {

using CurrentBackend = Cuda;

template <class P, class Backend>
GravityBodies gravity_bodies() {
    return {
        gravity_cuda<P, GravityResult::acceleration>,
        gravity_cuda<P, GravityResult::with_potential>,
        gravity_machine_cuda<P>};
}

} // namespace starfmm

#else
#include "codelets/pairs/gravity.hpp"

namespace starfmm {

using CurrentBackend = CurrentIsa;

template <class P, class Backend>
GravityBodies gravity_bodies() {
    return {
        gravity_cpu<P, GravityResult::acceleration, Backend>,
        gravity_cpu<P, GravityResult::with_potential, Backend>,
        gravity_machine_cpu<P, Backend>};
}

} // namespace starfmm
#endif
