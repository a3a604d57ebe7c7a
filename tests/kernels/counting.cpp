// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the counting kernel.
#include "tests/kernels/counting.hpp"

#include "codelets/sets/instantiate.hpp"

template starfmm::KernelBodies starfmm::kernel_bodies<Counting, starfmm::CurrentBackend>();
