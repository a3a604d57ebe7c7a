// SPDX-License-Identifier: BSD-3-Clause
// This file makes the bodies of a kernel without expansions by the same way as a user's.
#include "tests/kernels/counting_pairs.hpp"

#include "codelets/sets/instantiate_shared.hpp"

template starfmm::KernelBodies starfmm::kernel_bodies<CountingPairs, starfmm::CurrentBackend>();
