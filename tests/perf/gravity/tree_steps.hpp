// SPDX-License-Identifier: BSD-3-Clause
// Gravity by a tree is timed here in the steps of [FT19 sec. 2.3].
#pragma once

#include "core/particles/bodies.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "schedulers/trace/overlap.hpp"

#include <array>
#include <cstddef>

namespace starfmm {

/// Steps in the paper's order: the first three are the interaction.
enum class TreeStep { traversal, p2p, m2l, evaluation, rest };

inline constexpr std::array tree_step_names{"traversal", "P2P", "M2L", "evaluation", "the rest"};

/// Times of one evaluation, in seconds.
struct TreeStepTimes {
    std::array<double, tree_step_names.size()> steps{}; ///< seconds of tasks, summed over workers
    double interaction = 0;  ///< time from the first list to the last sum
    double both = 0;         ///< time from the first list to the end of the evaluation
    double unhidden = 0;     ///< part of the interaction without sums on a GPU
    Overlap overlap;         ///< the overlap that traces tell, with any task on a GPU
    double links = 0;        ///< time in which memory links were busy
    std::size_t n_bytes = 0; ///< bytes that the links copied

    /// Fraction of the tasks' time of both steps that the interaction takes.
    [[nodiscard]] double interaction_share() const;
};

/// Times the steps of an evaluation with a trace, which takes time itself, so that this evaluation
/// is none of those that are timed as a whole. There must be more than 2e5 bodies: with fewer, a
/// GPU alone has fused tasks, which belong to TreeStep::rest.
[[nodiscard]] TreeStepTimes tree_step_times(const DriverOptions& options, const Bodies& bodies);

} // namespace starfmm
