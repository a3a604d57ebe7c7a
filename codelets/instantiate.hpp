// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of a kernel, which CMake's starfmm_add_kernel compiles once per
// instruction set and once as CUDA; there, `template starfmm::KernelBodies
// starfmm::kernel_bodies<K, starfmm::CurrentBackend>();` gives the kernel the bodies of that
// variant.
#pragma once

#include "codelets/kernel_set.hpp"

#ifdef __CUDACC__
#include "codelets/cuda_bodies.cuh"

namespace starfmm {

using CurrentBackend = Cuda;

template <class K, class Backend>
KernelBodies kernel_bodies() {
    static_assert(ExpansionKernel<K>);
    return {
        p2m_cuda<K>,
        m2m_cuda<K>,
        m2l_cuda<K>,
        l2l_cuda<K>,
        p2l_cuda<K>,
        l2p_cuda<K>,
        m2p_cuda<K>,
        p2p_cuda<K>,
        direct_cuda<K>};
}

template <class Real, class Backend>
GeometryBodies geometry_bodies() {
    return {
        rank_cuda<Real>,
        sort_cuda<Real>,
        sort_group_cuda<Real>,
        sort_targets_cuda<Real>,
        bounds_cuda<Real>,
        connect_cuda<Real>,
        strengths_cuda<Real>,
        gather_cuda<Real>};
}

} // namespace starfmm

#else
#include "codelets/bounds.hpp"
#include "codelets/connect.hpp"
#include "codelets/direct.hpp"
#include "codelets/gather.hpp"
#include "codelets/l2l.hpp"
#include "codelets/l2p.hpp"
#include "codelets/m2l.hpp"
#include "codelets/m2m.hpp"
#include "codelets/m2p.hpp"
#include "codelets/p2l.hpp"
#include "codelets/p2m.hpp"
#include "codelets/p2p.hpp"
#include "codelets/sort.hpp"
#include "codelets/sort_targets.hpp"

namespace starfmm {

using CurrentBackend = CurrentIsa;

template <class K, class Backend>
KernelBodies kernel_bodies() {
    static_assert(ExpansionKernel<K>);
    return {
        p2m_cpu<K, Backend>,
        m2m_cpu<K, Backend>,
        m2l_cpu<K, Backend>,
        l2l_cpu<K, Backend>,
        p2l_cpu<K, Backend>,
        l2p_cpu<K, Backend>,
        m2p_cpu<K, Backend>,
        p2p_cpu<K, Backend>,
        direct_cpu<K, Backend>};
}

template <class Real, class Backend>
GeometryBodies geometry_bodies() {
    return {
        rank_cpu<Real, Backend>,
        sort_cpu<Real, Backend>,
        sort_group_cpu<Real, Backend>,
        sort_targets_cpu<Real, Backend>,
        bounds_cpu<Real, Backend>,
        connect_cpu<Real, Backend>,
        strengths_cpu<Real, Backend>,
        gather_cpu<Real, Backend>};
}

} // namespace starfmm
#endif
