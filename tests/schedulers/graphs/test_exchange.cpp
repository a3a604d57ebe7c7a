// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/exchange.hpp"

#include <doctest/doctest.h>

#include <cstddef>

using starfmm::BlockTransfer;
using starfmm::exchange_stages;
using starfmm::ExchangePattern;

namespace {

/// Returns knows[rank][block] after all stages; checks that ranks send what they know, and nothing
/// twice.
std::vector<std::vector<bool>> knowledge(ExchangePattern pattern, int n_ranks) {
    const auto n = static_cast<std::size_t>(n_ranks);
    std::vector<std::vector<bool>> knows(n, std::vector<bool>(n));
    for (std::size_t rank = 0; rank < n; ++rank) {
        knows[rank][rank] = true;
    }
    for (const auto& stage : exchange_stages(pattern, n_ranks)) {
        const auto before = knows;
        for (const BlockTransfer& transfer : stage) {
            const auto block = static_cast<std::size_t>(transfer.block);
            const auto to = static_cast<std::size_t>(transfer.to);
            CHECK(before[static_cast<std::size_t>(transfer.from)][block]);
            CHECK_FALSE(knows[to][block]);
            knows[to][block] = true;
        }
    }
    return knows;
}

} // namespace

TEST_CASE("exchange: every rank gets every block once, from a rank that has it") {
    for (const auto pattern : {ExchangePattern::ring, ExchangePattern::doubling}) {
        for (int n_ranks = 1; n_ranks <= 24; ++n_ranks) {
            CAPTURE(n_ranks);
            for (const auto& known : knowledge(pattern, n_ranks)) {
                CHECK(known == std::vector<bool>(known.size(), true));
            }
        }
    }
}

TEST_CASE("exchange: a ring has P - 1 stages, to the next rank only") {
    const auto stages = exchange_stages(ExchangePattern::ring, 5);
    CHECK(stages.size() == 4);
    for (const auto& stage : stages) {
        CHECK(stage.size() == 5);
        for (const BlockTransfer& transfer : stage) {
            CHECK(transfer.to == (transfer.from + 1) % 5);
        }
    }
}

TEST_CASE("exchange: doubling takes log2 P stages, twice as much in each") {
    const auto stages = exchange_stages(ExchangePattern::doubling, 8);
    REQUIRE(stages.size() == 3);
    CHECK(stages[0].size() == 8);
    CHECK(stages[1].size() == 16);
    CHECK(stages[2].size() == 32);
    CHECK(exchange_stages(ExchangePattern::doubling, 12).size() == 2 + 2); // pairs of pairs; a ring
}
