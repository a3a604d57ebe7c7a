// SPDX-License-Identifier: BSD-3-Clause
// The task graph of one evaluation: the only file that knows the order of the operators.
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstdint>
#include <vector>

namespace starfmm {

/// The user's arrays of one evaluation, of each right-hand side as many as there are components.
struct EvaluationArrays {
    using Parts = std::vector<Handle>; ///< of an array: its chunks, or all of it
    std::uint32_t columns = 1;         ///< right-hand sides, at most max_columns
    std::vector<Parts> strengths;      ///< [N] each, user order, column by column
    std::vector<Parts> potentials;     ///< [M] each, user order, column by column
};

/// Submits the tasks of one evaluation, and finishes the topology as soon as they need it; returns
/// before they have run.
///
///     strengths -> P2M -> M2M -> (top: M2M -> M2L -> L2L) -> M2L -> P2L -> L2L -> L2P -> M2P ->
///     gather
///               -> P2P
///               ---------------------------------------------------------------------------^
void submit_evaluation(
    Runtime& runtime, KernelSet& kernel, TreeData& data, EvaluationArrays& arrays
);

} // namespace starfmm
