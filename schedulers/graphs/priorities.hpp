// SPDX-License-Identifier: BSD-3-Clause
// Priorities decide which ready task goes first.
#pragma once

#include "schedulers/runtime/session.hpp"

#include <cstdint>

namespace starfmm {

/// Priorities of the operators. The critical path is sort, connect, P2M, M2M, top, M2L, L2L, L2P. A
/// task later on the path goes first, so that its group finishes sooner and neighbours may start
/// sooner. P2P depends on nothing but strengths.
struct Priority {
    static constexpr int topology = 6;
    // The path from a group's points to its boxes: the output of one task is used before the next
    // group's tasks need memory.
    static constexpr int rank = topology + 1;
    static constexpr int sort = topology + 2;
    static constexpr int sort_group = topology + 3;
    static constexpr int bounds = topology + 4;
    static constexpr int strengths = 6;
    // Groups whose neighbours on other GPUs wait for them get strengths as soon as they are sorted.
    static constexpr int early_strengths = topology + 5;
    static constexpr int upward = 5;
    static constexpr int top = 6;
    static constexpr int m2l = 3;
    static constexpr int downward = 3;
    static constexpr int gather = 2;

    /// Priority of P2P. On GPUs it fills the gaps that transfers leave, unless the results of all
    /// right-hand sides wait for it. Cores leave no gaps: they end together if the longest tasks,
    /// those of P2P, come first. Where both share the work, the gain of each kind of worker
    /// decides.
    static constexpr int p2p(const WorkerCounts& workers, std::uint32_t n_columns) {
        if (workers.n_cuda == 0 || n_columns > 1) {
            return 4;
        }
        return workers.n_cpu > 0 ? m2l : 0;
    }
};

} // namespace starfmm
