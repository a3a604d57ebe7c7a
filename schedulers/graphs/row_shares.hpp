// SPDX-License-Identifier: BSD-3-Clause
// Rows of a sum over all pairs, cut for those who work on them.
#pragma once

#include "codelets/task/codelet.hpp"
#include "schedulers/runtime/session.hpp"

#include <cstddef>
#include <vector>

namespace starfmm {

class Runtime;

/// Targets [begin, begin + n) that one task sums up.
struct RowShare {
    std::size_t begin;
    std::size_t n;
    Takers takers;
};

/// Rows that GPUs are given in units of: what a block of their threads takes, in as long a time as
/// fewer.
inline constexpr std::size_t gpu_rows = 1024;

/// Cuts `n` rows for GPUs and cores that share them by their rates, as `costs` of a pair predict
/// them: the GPUs' rows in few pieces, those that are shared in small ones, the
/// largest of which a GPU still takes at its full rate, the last the smallest, so that all end
/// together whoever takes them.
/// \param workers both kinds
[[nodiscard]] std::vector<RowShare>
share_rows(std::size_t n, const OperatorCosts& costs, const WorkerCounts& workers);

/// Before a share is submitted that both kinds may take: under a policy that assigns a task as soon
/// as it is ready, waits until workers need another, so that who is slower than predicted gets
/// fewer.
void await_takers(Runtime& runtime, Takers takers);

/// Cuts `n` rows into equal pieces of at most `size`.
[[nodiscard]] std::vector<RowShare> equal_rows(std::size_t n, std::size_t size);

} // namespace starfmm
