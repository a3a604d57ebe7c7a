// SPDX-License-Identifier: BSD-3-Clause
// Which ready task goes first.
#pragma once

namespace starfmm {

/// The critical path is sort, connect, P2M, M2M, top, M2L, L2L, L2P: the later on it, the sooner
/// its groups finish and the sooner neighbours may start. P2P depends on nothing but strengths and
/// fills the gaps.
struct Priority {
    static constexpr int topology = 5;
    static constexpr int strengths = 5;
    static constexpr int upward = 4;
    static constexpr int top = 5;
    static constexpr int m2l = 3;
    static constexpr int downward = 3;
    static constexpr int p2p = 0;
    static constexpr int gather = 2;
};

} // namespace starfmm
