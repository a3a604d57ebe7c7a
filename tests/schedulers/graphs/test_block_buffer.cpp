// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/block_buffer.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

using starfmm::BlockBuffer;
using starfmm::HostMemory;

namespace {

/// Writes 8 i + c, and reads its half: numbers that a float has, too.
void check_rows(std::size_t n, std::size_t block, std::size_t bytes, HostMemory kind) {
    starfmm::Runtime runtime({}, starfmm::Execution::in_order);
    BlockBuffer buffer;
    buffer.cut(runtime, starfmm::equal_rows(n, block), {2, bytes}, kind);
    std::array<std::vector<double>, 2> written;
    std::array<std::vector<double>, 2> halves;
    for (std::size_t c = 0; c < 2; ++c) {
        for (std::size_t i = 0; i < n; ++i) {
            written[c].push_back(static_cast<double>(8 * i + c));
            halves[c].push_back(written[c].back() / 2);
        }
    }
    const std::array<std::span<const double>, 2> components{written[0], written[1]};
    buffer.write(components, 1);
    buffer.bring_home(runtime);
    std::vector<double> read(n, -1);
    for (std::size_t c = 0; c < 2; ++c) {
        buffer.read(c, 0.5, read);
        CHECK(read == halves[c]);
    }
    buffer.clear();
    buffer.read(1, 1, read);
    CHECK(read == std::vector<double>(n, 0));
}

} // namespace

TEST_CASE("block_buffer: rows come back as they were written, many or few, whatever the blocks") {
    for (const std::size_t n : {1, 11, 100'000}) { // 100000: by several threads
        for (const std::size_t bytes : {sizeof(float), sizeof(double)}) {
            check_rows(n, n, bytes, HostMemory::pageable);
            check_rows(n, n / 3 + 1, bytes, HostMemory::pinned);
        }
    }
}
