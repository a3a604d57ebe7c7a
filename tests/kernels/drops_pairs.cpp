// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the kernel that drops pairs.
#include "tests/kernels/drops_pairs.hpp"

#include "codelets/sets/instantiate_shared.hpp"

template starfmm::KernelBodies starfmm::kernel_bodies<DropsPairs, starfmm::CurrentBackend>();
