// SPDX-License-Identifier: BSD-3-Clause
// Loops of a block over arrays, whose reads do not wait for each other.
#pragma once

#include <cstdint>

namespace starfmm {

/// Calls `put(i, get(i))` for a thread's share of i < n, with several of its reads under way at
/// once.
template <int at_once, class Get, class Put>
__device__ void copy_by_block(std::uint32_t n, const Get& get, const Put& put) {
    using Value = decltype(get(0U));
    for (std::uint32_t first = threadIdx.x; first < n; first += at_once * blockDim.x) {
        Value values[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            if (first + k * blockDim.x < n) {
                values[k] = get(first + k * blockDim.x);
            }
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            if (first + k * blockDim.x < n) {
                put(first + k * blockDim.x, values[k]);
            }
        }
    }
}

} // namespace starfmm
