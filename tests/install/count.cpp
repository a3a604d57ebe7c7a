// SPDX-License-Identifier: BSD-3-Clause
// This file makes the bodies of the plugged-in kernel.
#include "count.hpp"

#include "codelets/sets/instantiate.hpp"

template starfmm::KernelBodies starfmm::kernel_bodies<Count, starfmm::CurrentBackend>();
