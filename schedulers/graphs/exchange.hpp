// SPDX-License-Identifier: BSD-3-Clause
// In which order ranks pass on blocks of bodies until each has them all [MTM13 sec. 4].
#pragma once

#include <vector>

namespace starfmm {

/// How ranks exchange their blocks.
enum class ExchangePattern {
    ring,    ///< the transfer phase [MTM13 Fig 6]: P - 1 messages a rank, each to the next one
    doubling ///< the accumulation phase [MTM13 Fig 7] first: as many ranks as the largest power of
             ///< two that divides P share what they know by log2 messages; then the ring of such
             ///< groups
};

/// Block `block`, which is that of the rank of this number, goes from one rank to another.
struct BlockTransfer {
    int block;
    int from;
    int to;
};

/// Stages in order; a stage needs nothing but what the stages before it brought. Every rank
/// receives every block but its own once: P (P - 1) transfers. O(P^2).
[[nodiscard]] std::vector<std::vector<BlockTransfer>>
exchange_stages(ExchangePattern pattern, int n_ranks);

} // namespace starfmm
