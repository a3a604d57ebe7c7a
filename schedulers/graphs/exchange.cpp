// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/exchange.hpp"

namespace starfmm {

namespace {

/// Number of ranks that accumulate each other's blocks: the largest power of two that divides
/// `n_ranks`.
int group_size(ExchangePattern pattern, int n_ranks) {
    int size = 1;
    while (pattern == ExchangePattern::doubling && n_ranks % (2 * size) == 0) {
        size *= 2;
    }
    return size;
}

/// Has each rank get all that its partner knows, whose number differs in one bit.
std::vector<BlockTransfer> doubling_stage(int known, int n_ranks) {
    std::vector<BlockTransfer> stage;
    for (int rank = 0; rank < n_ranks; ++rank) {
        const int pair = rank ^ known;
        const int first = pair / known * known;
        for (int block = first; block < first + known; ++block) {
            stage.push_back({block, pair, rank});
        }
    }
    return stage;
}

/// Has each rank get what its counterpart in the group before received last.
std::vector<BlockTransfer> ring_stage(int step, int size, int n_ranks) {
    std::vector<BlockTransfer> stage;
    for (int rank = 0; rank < n_ranks; ++rank) {
        const int from = (rank - size + n_ranks) % n_ranks;
        const int group = (rank / size * size - step * size + n_ranks) % n_ranks;
        for (int block = group; block < group + size; ++block) {
            stage.push_back({block, from, rank});
        }
    }
    return stage;
}

} // namespace

std::vector<std::vector<BlockTransfer>> exchange_stages(ExchangePattern pattern, int n_ranks) {
    const int size = group_size(pattern, n_ranks);
    std::vector<std::vector<BlockTransfer>> stages;
    for (int known = 1; known < size; known *= 2) {
        stages.push_back(doubling_stage(known, n_ranks));
    }
    for (int step = 1; step < n_ranks / size; ++step) {
        stages.push_back(ring_stage(step, size, n_ranks));
    }
    return stages;
}

} // namespace starfmm
