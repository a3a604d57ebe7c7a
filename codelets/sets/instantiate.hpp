// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of a kernel, which CMake's starfmm_add_kernel compiles once per
// instruction set and once as CUDA; there, `template starfmm::KernelBodies
// starfmm::kernel_bodies<K, starfmm::CurrentBackend>();` gives the kernel the bodies of that
// variant.
#pragma once

#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/m2m.hpp"
#include "codelets/sets/instantiate_shared.hpp"
