// SPDX-License-Identifier: BSD-3-Clause
// Which ready task goes first.
#pragma once

#include "schedulers/runtime/session.hpp"

#include <cstdint>

namespace starfmm {

/// The critical path is sort, connect, P2M, M2M, top, M2L, L2L, L2P: the later on it, the sooner
/// its groups finish and the sooner neighbours may start. P2P depends on nothing but strengths.
struct Priority {
    static constexpr int topology = 6;
    // From a group's points to its boxes: what one task has made is used before the next group's
    // needs memory.
    static constexpr int rank = topology + 1;
    static constexpr int sort = topology + 2;
    static constexpr int sort_group = topology + 3;
    static constexpr int bounds = topology + 4;
    static constexpr int strengths = 6;
    // Of groups whose neighbours on other GPUs wait for them: as soon as a group is sorted.
    static constexpr int early_strengths = topology + 5;
    static constexpr int upward = 5;
    static constexpr int top = 6;
    static constexpr int m2l = 3;
    static constexpr int downward = 3;
    static constexpr int gather = 2;

    /// On GPUs it fills the gaps that transfers leave, unless the results of all right-hand sides
    /// wait for it. Cores leave none: they end together if the longest tasks, which these are, come
    /// first. Where both share the work, who gains more by which decides.
    static constexpr int p2p(const WorkerCounts& workers, std::uint32_t n_columns) {
        if (workers.n_cuda == 0 || n_columns > 1) {
            return 4;
        }
        return workers.n_cpu > 0 ? m2l : 0;
    }
};

} // namespace starfmm
