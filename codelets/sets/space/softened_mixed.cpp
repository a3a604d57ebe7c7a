// SPDX-License-Identifier: BSD-3-Clause
// Bodies of softened gravity in double precision with pairs in single precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/gravity_kernels3d.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::MixedSoftenedGravity<double>, starfmm::CurrentBackend>();
template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::MixedSplineGravity<double>, starfmm::CurrentBackend>();
