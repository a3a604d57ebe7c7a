// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of a pairwise law, which CMake's starfmm_add_kernel compiles once per
// instruction set and once as CUDA; there, `template starfmm::NearfieldBodies
// starfmm::nearfield_bodies<L, starfmm::CurrentBackend>();` gives the law the bodies of that
// variant.
#pragma once

#include "codelets/sets/law_set.hpp"

#ifdef __CUDACC__
#include "codelets/pairs/nearfield.cuh"
#include "codelets/tree/zsort.cuh"

namespace starfmm {

using CurrentBackend = Cuda;

template <class Real, int D, class Backend>
OrthtreeBodies orthtree_bodies() {
    return {zsort_cuda<D>, zgroup_cuda<Real, D>};
}

template <class L, class Backend>
NearfieldBodies nearfield_bodies() {
    static_assert(PairLaw<L>);
    return {nearfield_bpb_cuda<L>, nearfield_improved_cuda<L>};
}

} // namespace starfmm

#else
#include "codelets/pairs/nearfield.hpp"
#include "codelets/tree/zsort.hpp"

namespace starfmm {

using CurrentBackend = CurrentIsa;

template <class Real, int D, class Backend>
OrthtreeBodies orthtree_bodies() {
    return {zsort_cpu<D>, zgroup_cpu<Real, D>};
}

template <class L, class Backend>
NearfieldBodies nearfield_bodies() {
    static_assert(PairLaw<L>);
    return {nearfield_cpu<L, Backend>, nullptr};
}

} // namespace starfmm
#endif
