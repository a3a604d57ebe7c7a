// SPDX-License-Identifier: BSD-3-Clause
// What a plan says about itself.
#pragma once

#include "core/options.hpp"
#include "core/tree/domain.hpp"
#include "core/tree/mesh_leaf.hpp"
#include "schedulers/costs/unit_costs.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace starfmm {

/// What the host does while tasks sum; it may be empty. Tasks that it submits run after them.
using WhileSumming = std::function<void()>;

/// Work that a plan's evaluation does.
struct WorkCounts {
    std::uint64_t p2p_pairs = 0;  ///< (target, source) pairs
    std::uint64_t m2l_shifts = 0; ///< translations
    std::uint64_t p2l_pairs = 0;  ///< sources into local expansions
    std::uint64_t m2p_pairs = 0;  ///< multipoles at targets
};

/// What a plan decided.
struct PlanInfo {
    Method method = Method::fmm; ///< fmm or direct
    Team team = Team::automatic; ///< automatic: workers are of one kind
    TeamTimes team_s;            ///< predicted
    TreeKind tree = TreeKind::pyramid;
    std::uint32_t leaf_size = 0; ///< most sources, most targets of an orthtree's leaf
    int roots = min_roots;       ///< PlanOptions::roots of a quadtree or octree
    double theta = 0;
    double heavy_theta = 0; ///< PlanOptions::heavy_theta
    int order = 0;
    PairTerms terms = PairTerms::by_distance;
    int levels = 0;             ///< finest level
    std::size_t leaves = 0;     ///< boxes without children
    bool has_users_unit = true; ///< tasks see the points as they are
    int groups = 1;
    int chunks = 1; ///< chunks that the sources are cut into on their way to groups
    PackedSums packed = PackedSums::none; ///< sums that tasks of Method::direct make
    std::size_t target_block = 0;         ///< most targets of one of them
    std::size_t source_block = 0;         ///< most sources of one of them
    WorkCounts work;
    double topology_s = 0;         ///< seconds from the points to complete lists
    double predicted_fmm_s = 0;    ///< time of plan and evaluation; 0: there was nothing to choose
    double predicted_direct_s = 0; ///< time of direct summation; 0: only with Method::automatic
    CostSource costs = CostSource::none; ///< what the predictions rest on
    bool has_doubtful_costs = false;     ///< measured beside other programs; a later run repeats it
    /// Smallest tolerance that precision, order and theta are for: an order of the user's own may
    /// leave it above PlanOptions::tolerance.
    double reachable_tolerance = 0;
    std::string why_direct;    ///< why all pairs are summed where a tree was asked for; else empty
    std::string tuning_notice; ///< why measured costs could not be kept on disk, if so
};

} // namespace starfmm
