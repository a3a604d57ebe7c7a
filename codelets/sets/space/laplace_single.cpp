// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the Laplace kernels of space in single precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/kernels3d.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::Laplace<float>, starfmm::CurrentBackend>();
template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::LaplaceGradient<float>, starfmm::CurrentBackend>();
