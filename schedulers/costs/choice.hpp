// SPDX-License-Identifier: BSD-3-Clause
// What a plan will do, and what was asked for.
#pragma once

#include "core/options.hpp"
#include "core/tree/domain.hpp"
#include "schedulers/costs/unit_costs.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace starfmm {

struct KernelSet;

/// How many points a plan has.
struct ProblemSize {
    std::size_t n_sources = 1;
    std::size_t n_targets = 1;
    bool separate_targets = false;

    friend bool operator==(const ProblemSize&, const ProblemSize&) = default;
};

/// What a plan will do.
struct Choice {
    Method method = Method::fmm; ///< fmm or direct
    Team team = Team::automatic; ///< automatic: workers are of one kind
    TeamTimes team_s;            ///< predicted, where there was a choice
    double theta = 0.5;
    int order = 1;
    PairTerms terms = PairTerms::by_distance;
    int levels = 0;              ///< levels of a pyramid
    std::uint32_t leaf_size = 0; ///< most points of an orthtree's leaf
    int roots = min_roots;       ///< PlanOptions::roots of an orthtree
    double fmm_s = 0;            ///< predicted; 0: nothing was to be chosen
    double direct_s = 0;         ///< predicted; 0: was not asked for
};

/// The choice made last. To predict the times of a hundred trees takes some 0.1 ms, as does a small
/// plan: who plans the same again need not.
struct LastChoice {
    const KernelSet* kernel;
    PlanOptions options;
    ProblemSize size;
    Choice choice;
    CostSource source;  ///< where the costs came from by which it was made
    std::string notice; ///< TunedCosts::notice
    bool is_doubtful;   ///< TunedCosts::are_doubtful

    [[nodiscard]] bool
    answers(const KernelSet& of, const PlanOptions& asked, const ProblemSize& n) const {
        return kernel == &of && options == asked && size == n;
    }
};

} // namespace starfmm
