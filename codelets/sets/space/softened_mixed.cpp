// SPDX-License-Identifier: BSD-3-Clause
// Bodies of softened gravity in double precision with pairs in single precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/gravity_kernels3d.hpp"

namespace starfmm {

using Gravity = MixedSoftenedGravity<double>;

template KernelBodies kernel_bodies<Gravity, CurrentBackend>();
template KernelBodies kernel_bodies<MixedSplineGravity<double>, CurrentBackend>();

template <>
GravityMachine gravity_machine<Gravity, CurrentBackend>() {
#ifdef __CUDACC__
    return gravity_machine_cuda<Gravity>();
#else
    return gravity_machine_cpu<Gravity::Packed, CurrentBackend>();
#endif
}

} // namespace starfmm
