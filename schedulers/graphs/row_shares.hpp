// SPDX-License-Identifier: BSD-3-Clause
// Row shares cut the rows of a sum over all pairs for the workers that sum them.
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

/// Unit in which rows are given to GPUs: the rows of one block of threads, which takes as long for
/// fewer.
inline constexpr std::size_t gpu_rows = 1024;

/// Cuts `n` rows for GPUs and cores that share them by their rates, as `costs` of a pair predict
/// them. The GPUs' own rows come in few large shares. The remaining rows come in small shares for
/// all workers: a GPU still takes the largest of these at its full rate, and the last are the
/// smallest, so that all workers end together.
/// \param workers counts of both kinds, neither of them 0
[[nodiscard]] std::vector<RowShare>
share_rows(std::size_t n, const OperatorCosts& costs, const WorkerCounts& workers);

/// Waits before a share is submitted that both kinds of workers may take. Under a policy that
/// assigns a task as soon as it is ready, the function waits until workers need another share, so
/// that a worker that is slower than predicted gets fewer.
void await_takers(Runtime& runtime, Takers takers);

/// Cuts `n` rows into equal shares of at most `size`.
[[nodiscard]] std::vector<RowShare> equal_rows(std::size_t n, std::size_t size);

} // namespace starfmm
