// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of a kernel, which CMake's starfmm_add_kernel compiles once per
// instruction set and once as CUDA; there, `template starfmm::KernelBodies
// starfmm::kernel_bodies<K, starfmm::CurrentBackend>();` gives the kernel the bodies of that
// variant.
#pragma once

#include "codelets/sets/instantiate_translations.hpp"

namespace starfmm::detail {

template <class K, class Backend>
TranslationBodies translations_of() {
    if constexpr (shares_translations<K>()) {
        return translation_bodies<typename K::Translations, Backend>(); // in a source of its own
    } else {
        return own_translations<K, Backend>();
    }
}

} // namespace starfmm::detail

#ifdef __CUDACC__
#include "codelets/expansions/l2p.cuh"
#include "codelets/expansions/m2p.cuh"
#include "codelets/expansions/p2l.cuh"
#include "codelets/expansions/p2m.cuh"
#include "codelets/pairs/direct.cuh"
#include "codelets/pairs/p2p.cuh"

namespace starfmm {

template <class K, class Backend>
KernelBodies kernel_bodies() {
    static_assert(ExpansionKernel<K>);
    return {
        detail::translations_of<K, Backend>(),
        p2m_cuda<K>,
        p2l_cuda<K>,
        l2p_cuda<K>,
        m2p_cuda<K>,
        p2p_cuda<K>,
        direct_cuda<K>};
}

} // namespace starfmm

#else
#include "codelets/expansions/l2p.hpp"
#include "codelets/expansions/m2p.hpp"
#include "codelets/expansions/p2l.hpp"
#include "codelets/expansions/p2m.hpp"
#include "codelets/pairs/direct.hpp"
#include "codelets/pairs/p2p.hpp"

namespace starfmm {

template <class K, class Backend>
KernelBodies kernel_bodies() {
    static_assert(ExpansionKernel<K>);
    return {
        detail::translations_of<K, Backend>(),
        p2m_cpu<K, Backend>,
        p2l_cpu<K, Backend>,
        l2p_cpu<K, Backend>,
        m2p_cpu<K, Backend>,
        p2p_cpu<K, Backend>,
        direct_cpu<K, Backend>};
}

} // namespace starfmm
#endif
