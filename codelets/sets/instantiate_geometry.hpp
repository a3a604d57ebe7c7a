// SPDX-License-Identifier: BSD-3-Clause
// Included by the source of the geometry bodies, as codelets/sets/instantiate.hpp is by kernels'.
#pragma once

#include "codelets/sets/kernel_set.hpp"

#ifdef __CUDACC__
#include "codelets/exchange/deal.cuh"
#include "codelets/tree/bounds.cuh"
#include "codelets/tree/connect.cuh"
#include "codelets/tree/rank.cuh"
#include "codelets/tree/root.cuh"
#include "codelets/tree/sort.cuh"
#include "codelets/tree/sort_targets.cuh"
#include "codelets/tree/split.cuh"

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
#include "codelets/exchange/deal.hpp"
#include "codelets/tree/bounds.hpp"
#include "codelets/tree/connect.hpp"
#include "codelets/tree/root.hpp"
#include "codelets/tree/sort.hpp"
#include "codelets/tree/sort_targets.hpp"
#include "codelets/tree/split.hpp"

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
