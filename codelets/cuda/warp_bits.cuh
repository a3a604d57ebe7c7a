// SPDX-License-Identifier: BSD-3-Clause
// Bits that the lanes of a warp set together.
#pragma once

#include "codelets/cuda/cuda_check.cuh"

namespace starfmm {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
/// Returns the bits that any lane has set, in all lanes.
__device__ inline std::uint32_t bits_of_warp(std::uint32_t bits) {
    for (int offset = warp_lanes / 2; offset > 0; offset /= 2) {
        bits |= other_lane(bits, offset);
    }
    return bits;
}
#else
/// Returns the bits that any lane has set, in all lanes.
__device__ inline std::uint32_t bits_of_warp(std::uint32_t bits) {
    return __reduce_or_sync(0xffffffffU, bits);
}
#endif

/// Returns the lowest `n` + 1 of 32 bits.
__device__ inline std::uint32_t bits_up_to(unsigned n) {
    return (2U << n) - 1;
}

} // namespace starfmm
