// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of the geometry bodies, as codelets/instantiate.hpp is by kernels'.
#pragma once

#include "codelets/kernel_set.hpp"

#ifdef __CUDACC__
#include "codelets/bounds.cuh"
#include "codelets/connect.cuh"
#include "codelets/deal.cuh"
#include "codelets/rank.cuh"
#include "codelets/root.cuh"
#include "codelets/sort.cuh"
#include "codelets/sort_targets.cuh"
#include "codelets/split.cuh"

namespace starfmm {

using CurrentBackend = Cuda;

template <class Backend>
GeometryBodies geometry_bodies() {
    return {
        split_begin_cuda,
        split_tally_cuda,
        split_candidates_cuda,
        split_label_cuda,
        deal_places_cuda,
        deal_cuda,
        deal_join_cuda,
        deal_collect_cuda,
        rank_cuda,
        sort_cuda,
        sort_group_cuda,
        sort_targets_cuda,
        bounds_cuda,
        root_cuda,
        connect_cuda};
}

} // namespace starfmm

#else
#include "codelets/bounds.hpp"
#include "codelets/connect.hpp"
#include "codelets/deal.hpp"
#include "codelets/root.hpp"
#include "codelets/sort.hpp"
#include "codelets/sort_targets.hpp"
#include "codelets/split.hpp"

namespace starfmm {

using CurrentBackend = CurrentIsa;

template <class Backend>
GeometryBodies geometry_bodies() {
    return {
        split_begin_cpu<Backend>,
        split_tally_cpu<Backend>,
        split_candidates_cpu<Backend>,
        split_label_cpu<Backend>,
        deal_places_cpu<Backend>,
        deal_cpu<Backend>,
        deal_join_cpu<Backend>,
        deal_collect_cpu<Backend>,
        rank_cpu<Backend>,
        sort_cpu<Backend>,
        sort_group_cpu<Backend>,
        sort_targets_cpu<Backend>,
        bounds_cpu<Backend>,
        root_cpu<Backend>,
        connect_cpu<Backend>};
}

} // namespace starfmm
#endif
