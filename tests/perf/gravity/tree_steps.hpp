// SPDX-License-Identifier: BSD-3-Clause
// Times of gravity by a tree in the steps of [FT19 sec. 2.3].
#pragma once

#include "core/particles/bodies.hpp"
#include "examples/gravity/gravity_options.hpp"
#include "schedulers/trace/overlap.hpp"

#include <array>
#include <cstddef>

namespace starfmm {

/// In the paper's order: the first three are the interaction.
enum class TreeStep { traversal, p2p, m2l, evaluation, rest };

inline constexpr std::array tree_step_names{"traversal", "P2P", "M2L", "evaluation", "the rest"};

/// Of one evaluation, in seconds.
struct TreeStepTimes {
    std::array<double, tree_step_names.size()> steps{}; ///< tasks, summed over workers
    double interaction = 0;                             ///< from the first list to the last sum
    double both = 0;         ///< from the first list to the end of the evaluation
    double unhidden = 0;     ///< of the interaction without sums on a GPU
    Overlap overlap;         ///< as traces tell it: beside anything on a GPU
    double links = 0;        ///< memory links, busy
    std::size_t n_bytes = 0; ///< that they copied

    /// Share of the interaction in the time that tasks of both steps take.
    [[nodiscard]] double interaction_share() const;
};

/// Of an evaluation with a trace, which takes time: none of those that are timed as a whole. For
/// more than 2e5 bodies: of fewer a GPU alone has fused tasks, which are the rest here.
[[nodiscard]] TreeStepTimes
tree_step_times(const GravityDriverOptions& options, const Bodies& bodies);

} // namespace starfmm
