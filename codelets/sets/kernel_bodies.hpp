// SPDX-License-Identifier: BSD-3-Clause
// The bodies of one kernel for one kind of worker.
#pragma once

#include "codelets/sets/operators.hpp"

namespace starfmm {

/// Bodies of one kernel's operators; without expansions there are those of pairs alone.
struct KernelBodies {
    PointOperators<Any>::Bodies points;
    PairOperators<Any>::Bodies pairs;
    TranslationOperators<Any>::Bodies translations;
};

/// The function without which a program cannot be linked, if the source of its kernel was not added to
/// it by CMake's starfmm_add_kernel: the linker's message has this name.
inline namespace needs_starfmm_add_kernel {

/// Returns the bodies of a kernel. Defined by codelets/sets/instantiate.hpp, in each variant of the
/// kernel's source.
template <class K, class Backend>
[[nodiscard]] KernelBodies kernel_bodies();

} // namespace needs_starfmm_add_kernel

} // namespace starfmm
