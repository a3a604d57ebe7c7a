// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the harmonic kernel in single precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/kernels2d.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::Harmonic<float, false>, starfmm::CurrentBackend>();
template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::Harmonic<float, true>, starfmm::CurrentBackend>();
