// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the Laplace kernels of space in double precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/kernels3d.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::Laplace<double>, starfmm::CurrentBackend>();
template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::LaplaceGradient<double>, starfmm::CurrentBackend>();
