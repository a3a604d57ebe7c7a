// SPDX-License-Identifier: BSD-3-Clause
// The part of the task graph that brings the groups' results to the user's arrays.
#pragma once

#include "schedulers/graphs/evaluation_graph.hpp"

namespace starfmm {

/// Submits the gathering of near and far results.
void submit_gather(Runtime& runtime, KernelSet& kernel, TreeData& data, EvaluationArrays& arrays);

} // namespace starfmm
