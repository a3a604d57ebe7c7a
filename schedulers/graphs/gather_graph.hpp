// SPDX-License-Identifier: BSD-3-Clause
// The part of the task graph that brings the groups' results to the user's arrays.
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <array>
#include <vector>

namespace starfmm {

/// Submits the gathering of near and far results.
/// \param potentials real and imaginary parts, a handle a chunk, or one
void submit_gather(
    Runtime& runtime,
    KernelSet& kernel,
    TreeData& data,
    std::array<std::vector<Handle>, most_components>& potentials
);

} // namespace starfmm
