// SPDX-License-Identifier: BSD-3-Clause
// This file makes the bodies of the counting kernels.
#include "tests/kernels/counting.hpp"

#include "codelets/sets/instantiate.hpp"

template starfmm::KernelBodies starfmm::kernel_bodies<Counting, starfmm::CurrentBackend>();
template starfmm::KernelBodies starfmm::kernel_bodies<Counting3, starfmm::CurrentBackend>();
