// SPDX-License-Identifier: BSD-3-Clause
// Bodies of softened gravity over Cartesian Taylor expansions in double precision.
#include "codelets/sets/instantiate.hpp"
#include "core/expansions/gravity_kernels3d.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::SoftenedGravity<double>, starfmm::CurrentBackend>();
