// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the log kernel in single precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/kernels2d.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::Log<float>, starfmm::CurrentBackend>();
template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::LogGradient<float>, starfmm::CurrentBackend>();
