// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/tree/cells.cuh"

#include <doctest/doctest.h>

#include <cstddef>

namespace {

template <int D>
void check_scratch(std::size_t n) {
    std::size_t needed = 0;
    REQUIRE(starfmm::sort_by_cells<D>(nullptr, needed, {}, {}, n) == cudaSuccess);
    CHECK(needed > 0);
    CHECK(starfmm::placed_points_bytes(n) + needed <= starfmm::cells_scratch_bytes(n));
}

} // namespace

TEST_CASE("cells: scratch is enough for parts of any size") {
    for (const double n : {1.0, 1e3, 1e5, 3e6, 1.5e7, 1e8, 1e9}) {
        CAPTURE(n);
        check_scratch<2>(static_cast<std::size_t>(n));
        check_scratch<3>(static_cast<std::size_t>(n));
    }
}
