// SPDX-License-Identifier: BSD-3-Clause
// Bodies of Plummer's softened gravity over Cartesian Taylor expansions in double precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/gravity_kernels3d.hpp"

namespace starfmm {

using Gravity = SoftenedGravity<double>;
using OfPoints = PointOperators<Gravity>; // of other kernels, too

template KernelBodies kernel_bodies<Gravity, CurrentBackend>();

template <>
OfPoints::Bodies bodies<OfPoints, CurrentBackend>() {
    return OfPoints::compiled<CurrentBackend>();
}

template <>
GravityMachine gravity_machine<Gravity, CurrentBackend>() {
#ifdef __CUDACC__
    return gravity_machine_cuda<Gravity>();
#else
    return gravity_machine_cpu<Gravity::Packed, CurrentBackend>();
#endif
}

} // namespace starfmm
