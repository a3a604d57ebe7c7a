// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the harmonic kernel in double precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/kernels2d.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::Harmonic<double, false>, starfmm::CurrentBackend>();
template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::Harmonic<double, true>, starfmm::CurrentBackend>();
