// SPDX-License-Identifier: BSD-3-Clause
// This file makes the bodies of the kernel whose expansions are exact.
#include "tests/kernels/square_distance.hpp"

#include "codelets/sets/instantiate.hpp"

template starfmm::KernelBodies
starfmm::kernel_bodies<SquareDistance<double>, starfmm::CurrentBackend>();
template starfmm::KernelBodies
starfmm::kernel_bodies<SquareDistance<float>, starfmm::CurrentBackend>();
