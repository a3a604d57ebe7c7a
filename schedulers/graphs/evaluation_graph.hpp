// SPDX-License-Identifier: BSD-3-Clause
// The task graph of one evaluation: this is the only file that knows the order of the operators.
#pragma once

#include "core/particles/points.hpp"
#include "schedulers/graphs/topology/topology_graph.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <array>
#include <span>
#include <vector>

namespace starfmm {

/// The user's arrays of one right-hand side. `im` is used by complex kernels only.
struct EvaluationArrays {
    using Parts = std::vector<Handle>;             ///< parts of an array: its chunks, or all of it
    std::array<Parts, 2> strengths;                ///< real and imaginary parts [N], user order
    std::array<Parts, most_components> potentials; ///< components of the results [M], user order
};

/// Submits the tasks of one evaluation, and finishes the topology as soon as they need it; returns
/// before they have run. Right-hand sides share P2P; their far fields follow each other, so that
/// the results of one are on their way while the next is summed.
/// \param columns arrays of each right-hand side, of which there are at most max_columns
///
///     strengths -> P2M -> M2M -> (top: M2M -> M2L -> L2L) -> M2L -> P2L -> L2L -> L2P -> M2P -+
///     strengths -> P2P -----------------------------------------------------------------------+
///     gather <--------------------------------------------------------------------------------+
void submit_evaluation(
    Runtime& runtime, KernelSet& kernel, Topology& topology, std::span<EvaluationArrays> columns
);

} // namespace starfmm
