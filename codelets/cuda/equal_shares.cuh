// SPDX-License-Identifier: BSD-3-Clause
// Rows of a compressed list divided into ranges of equal cost.
#pragma once

#include "codelets/cuda/cuda_check.cuh"

namespace starfmm {

/// One of several equal parts.
struct Share {
    std::size_t index; ///< number of the part; may be `of`: the end of the last part
    std::size_t of;
};

/// Returns the first row before which rows cost at least `cost`, found by all lanes of a warp, each
/// of whose rounds divides the range by 32.
/// \param offsets   [n_rows + 1] offsets of the rows' entries, each of which costs 1
/// \param row_cost  cost of a row besides its entries
__device__ inline std::size_t row_at(
    const std::uint32_t* offsets, std::size_t n_rows, std::uint64_t row_cost, std::uint64_t cost
) {
    std::size_t begin = 0;
    std::size_t end = n_rows;
    while (begin < end) {
        const auto probe = [&](unsigned i) { return begin + (end - begin) * i / warp_lanes; };
        const std::size_t mine = probe(threadIdx.x % warp_lanes);
        const bool cheaper = offsets[mine] - offsets[0] + row_cost * mine < cost;
        const unsigned n = __popc(__ballot_sync(0xffffffffU, cheaper));
        const std::size_t first = n == 0 ? begin : probe(n - 1) + 1;
        end = n == warp_lanes ? end : probe(n);
        begin = first;
    }
    return begin;
}

/// Returns the first row of a share of all rows.
__device__ inline std::size_t share_begin(
    const std::uint32_t* offsets, std::size_t n_rows, std::uint64_t row_cost, const Share& share
) {
    const std::uint64_t cost = offsets[n_rows] - offsets[0] + row_cost * n_rows;
    return row_at(offsets, n_rows, row_cost, cost * share.index / share.of);
}

} // namespace starfmm
