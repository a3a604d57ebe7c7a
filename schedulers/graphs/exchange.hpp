// SPDX-License-Identifier: BSD-3-Clause
// This header orders the exchange in which ranks pass on blocks of bodies until each rank has all
// of them [MTM13 sec. 4].
#pragma once

#include <vector>

namespace starfmm {

/// How ranks exchange their blocks.
enum class ExchangePattern {
    ring, ///< the transfer phase [MTM13 Fig 6]: P - 1 messages a rank, each to the next one
    /// The accumulation phase [MTM13 Fig 7] first: groups of ranks, whose size is the largest power
    /// of two that divides P, share what they know by log2 messages; then a ring of such groups.
    doubling
};

/// One transfer: the block that belongs to the rank of number `block` goes from one rank to
/// another.
struct BlockTransfer {
    int block;
    int from;
    int to;
};

/// Returns the stages in order; a stage needs nothing but what the stages before it brought. Every
/// rank receives every block but its own once, which is P (P - 1) transfers. O(P^2).
[[nodiscard]] std::vector<std::vector<BlockTransfer>>
exchange_stages(ExchangePattern pattern, int n_ranks);

} // namespace starfmm
