// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of a pairwise law, which CMake's starfmm_add_kernel compiles once per
// instruction set and once as CUDA; there, `template starfmm::NearfieldBodies
// starfmm::nearfield_bodies<L, starfmm::CurrentBackend>();` gives the law the bodies of that
// variant.
#pragma once

#include "codelets/pairs/nearfield.hpp"
#include "codelets/sets/backend.hpp"
#include "codelets/sets/kernel_bodies.hpp"

namespace starfmm::needs_starfmm_add_kernel {

template <class L, class Backend>
NearfieldBodies nearfield_bodies() {
    static_assert(PairLaw<L>);
    return NearfieldOperators<L>::template compiled<Backend>();
}

} // namespace starfmm::needs_starfmm_add_kernel
