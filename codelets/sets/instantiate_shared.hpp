// SPDX-License-Identifier: BSD-3-Clause
// Serves as codelets/sets/instantiate.hpp does, for kernels that share the translations of their
// expansion, and perhaps what it has to do with points: less to compile, and nothing to compile
// again when a translation changes.
#pragma once

#include "codelets/expansions/l2p.hpp"
#include "codelets/expansions/m2p.hpp"
#include "codelets/expansions/p2l.hpp"
#include "codelets/expansions/p2m.hpp"
#include "codelets/pairs/direct.hpp"
#include "codelets/pairs/p2p.hpp"
#include "codelets/sets/backend.hpp"
#include "codelets/sets/kernel_bodies.hpp"
#include "core/expansions/expansion.hpp"

namespace starfmm::needs_starfmm_add_kernel {

template <class K, class Backend>
KernelBodies kernel_bodies() {
    KernelBodies all{{}, PairOperators<K>::template compiled<Backend>(), {}};
    if constexpr (has_expansions<K>) {
        static_assert(ExpansionKernel<K>);
        if constexpr (shares_points<K>()) {
            all.points = bodies<PointOperators<typename K::Points>, Backend>();
        } else {
            all.points = PointOperators<K>::template compiled<Backend>();
        }
        if constexpr (shares_translations<K>()) {
            all.translations = bodies<TranslationOperators<typename K::Translations>, Backend>();
        } else {
            all.translations = TranslationOperators<K>::template compiled<Backend>();
        }
    } else {
        static_assert(PairKernel<K>);
    }
    return all;
}

} // namespace starfmm::needs_starfmm_add_kernel
