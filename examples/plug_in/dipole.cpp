// SPDX-License-Identifier: BSD-3-Clause
// This file makes the bodies of the dipole kernel: CMake's starfmm_add_kernel compiles it for each
// kind of processor.
#include "examples/plug_in/dipole.hpp"

#include "codelets/sets/instantiate.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<examples::Dipole<double>, starfmm::CurrentBackend>();
template starfmm::KernelBodies
starfmm::kernel_bodies<examples::Dipole<float>, starfmm::CurrentBackend>();
