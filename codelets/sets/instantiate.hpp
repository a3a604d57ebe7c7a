// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of a kernel, which CMake's starfmm_add_kernel compiles once per
// instruction set and once as CUDA; there, `template starfmm::KernelBodies
// starfmm::kernel_bodies<K, starfmm::CurrentBackend>();` gives the kernel the bodies of that
// variant.
#pragma once

#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/l2p.hpp"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/m2m.hpp"
#include "codelets/expansions/m2p.hpp"
#include "codelets/expansions/p2l.hpp"
#include "codelets/expansions/p2m.hpp"
#include "codelets/pairs/direct.hpp"
#include "codelets/pairs/p2p.hpp"
#include "codelets/sets/backend.hpp"
#include "codelets/sets/kernel_set.hpp"

namespace starfmm {

template <class K, class Backend>
KernelBodies kernel_bodies() {
    static_assert(ExpansionKernel<K>);
    KernelBodies all{PointOperators<K>::template compiled<Backend>(), {}};
    if constexpr (shares_translations<K>()) {
        all.translations = bodies<TranslationOperators<typename K::Translations>, Backend>();
    } else {
        all.translations = TranslationOperators<K>::template compiled<Backend>();
    }
    return all;
}

} // namespace starfmm
