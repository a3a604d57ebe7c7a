// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the Laplace kernels of space in double precision with pairs in single precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/kernels3d.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::MixedLaplace, starfmm::CurrentBackend>();
template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::MixedLaplaceGradient, starfmm::CurrentBackend>();
