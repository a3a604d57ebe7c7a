// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of an expansion that several kernels share, as
// codelets/sets/instantiate.hpp is by kernels'; there, `template <> starfmm::TranslationBodies
// starfmm::translation_bodies<E, starfmm::CurrentBackend>() { return own_translations<E,
// CurrentBackend>(); }` gives it the bodies of that variant.
#pragma once

#include "codelets/sets/kernel_set.hpp"

#ifdef __CUDACC__
#include "codelets/expansions/l2l.cuh"
#include "codelets/expansions/m2l.cuh"
#include "codelets/expansions/m2m.cuh"

namespace starfmm {

using CurrentBackend = Cuda;

template <class E, class Backend>
TranslationBodies own_translations() {
    return {m2m_cuda<E>, m2m_top_cuda<E>, m2l_cuda<E>, l2l_cuda<E>};
}

} // namespace starfmm

#else
#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/m2m.hpp"

namespace starfmm {

using CurrentBackend = CurrentIsa;

template <class E, class Backend>
TranslationBodies own_translations() {
    return {m2m_cpu<E, Backend>, m2m_top_cpu<E, Backend>, m2l_cpu<E, Backend>, l2l_cpu<E, Backend>};
}

} // namespace starfmm
#endif
