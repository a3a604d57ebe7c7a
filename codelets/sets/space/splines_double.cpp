// SPDX-License-Identifier: BSD-3-Clause
// Bodies of gravity softened by a spline of each body's own length, over Cartesian Taylor expansions
// in double precision.
#include "codelets/sets/instantiate_shared.hpp"
#include "core/expansions/gravity_kernels3d.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<starfmm::SplinesGravity<double>, starfmm::CurrentBackend>();
