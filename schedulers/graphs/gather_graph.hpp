// SPDX-License-Identifier: BSD-3-Clause
// This part of the task graph brings the groups' results to the user's arrays.
#pragma once

#include "schedulers/graphs/tree_data.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace starfmm {

/// Identifies one of several right-hand sides.
struct ColumnOf {
    std::uint32_t n;
    std::uint32_t index;
};

/// Submits the gathering of near and far results of one right-hand side.
/// \param potentials components of the results: a handle for each chunk, or one
void submit_gather(
    Runtime& runtime,
    KernelSet& kernel,
    TreeData& data,
    ColumnOf column,
    std::array<std::vector<Handle>, most_components>& potentials
);

} // namespace starfmm
