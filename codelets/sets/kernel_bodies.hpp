// SPDX-License-Identifier: BSD-3-Clause
// The bodies of one kernel, or of one pairwise law, for one kind of worker.
#pragma once

#include "codelets/sets/operators.hpp"

namespace starfmm {

/// Bodies of one kernel's operators.
struct KernelBodies {
    PointOperators<Any>::Bodies points;
    PairOperators<Any>::Bodies pairs;
    TranslationOperators<Any>::Bodies translations;
};

/// Defined by codelets/sets/instantiate.hpp, in each variant of a kernel's source.
template <class K, class Backend>
[[nodiscard]] KernelBodies kernel_bodies();

/// Bodies of one law's near field.
using NearfieldBodies = NearfieldOperators<Any>::Bodies;

/// Defined by codelets/sets/instantiate_law.hpp, in each variant of a law's source.
template <class L, class Backend>
[[nodiscard]] NearfieldBodies nearfield_bodies();

} // namespace starfmm
