// SPDX-License-Identifier: BSD-3-Clause
// Included by the sources of the geometry bodies, as codelets/instantiate.hpp is by kernels'.
#pragma once

#include "codelets/kernel_set.hpp"

#ifdef __CUDACC__
#include "codelets/bounds.cuh"
#include "codelets/connect.cuh"
#include "codelets/deal.cuh"
#include "codelets/gather.cuh"
#include "codelets/rank.cuh"
#include "codelets/root.cuh"
#include "codelets/sort.cuh"
#include "codelets/sort_targets.cuh"
#include "codelets/split.cuh"

namespace starfmm {

using CurrentBackend = Cuda;

template <class Real, class Backend>
GeometryBodies geometry_bodies() {
    return {
        split_begin_cuda<Real>,
        split_tally_cuda<Real>,
        split_candidates_cuda<Real>,
        split_label_cuda<Real>,
        deal_places_cuda<Real>,
        deal_cuda<Real>,
        deal_join_cuda<Real>,
        deal_collect_cuda<Real>,
        rank_cuda<Real>,
        sort_cuda<Real>,
        sort_group_cuda<Real>,
        sort_targets_cuda<Real>,
        bounds_cuda<Real>,
        root_cuda<Real>,
        connect_cuda<Real>,
        strengths_cuda<Real>,
        gather_cuda<Real>,
        gather_begin};
}

} // namespace starfmm

#else
#include "codelets/bounds.hpp"
#include "codelets/connect.hpp"
#include "codelets/deal.hpp"
#include "codelets/gather.hpp"
#include "codelets/root.hpp"
#include "codelets/sort.hpp"
#include "codelets/sort_targets.hpp"
#include "codelets/split.hpp"

namespace starfmm {

using CurrentBackend = CurrentIsa;

template <class Real, class Backend>
GeometryBodies geometry_bodies() {
    return {
        split_begin_cpu<Real, Backend>,
        split_tally_cpu<Real, Backend>,
        split_candidates_cpu<Real, Backend>,
        split_label_cpu<Real, Backend>,
        deal_places_cpu<Real, Backend>,
        deal_cpu<Real, Backend>,
        deal_join_cpu<Real, Backend>,
        deal_collect_cpu<Real, Backend>,
        rank_cpu<Real, Backend>,
        sort_cpu<Real, Backend>,
        sort_group_cpu<Real, Backend>,
        sort_targets_cpu<Real, Backend>,
        bounds_cpu<Real, Backend>,
        root_cpu<Real, Backend>,
        connect_cpu<Real, Backend>,
        strengths_cpu<Real, Backend>,
        gather_cpu<Real, Backend>,
        gather_begin};
}

} // namespace starfmm
#endif
