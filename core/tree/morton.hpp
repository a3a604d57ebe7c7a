// SPDX-License-Identifier: BSD-3-Clause
// The Z-order curve: box coordinates and codes of one level of a uniform quadtree or octree, and
// neighbours by arithmetic on codes [SL13 Sec II.A].
#pragma once

#include "core/host_device.hpp"

#include <array>
#include <cstdint>

namespace starfmm {

/// The place of a box on the Z-order curve of its level.
using ZCode = std::uint32_t;

/// The code of no box, beyond the border of the domain.
inline constexpr ZCode no_box = ~ZCode(0);

/// The largest height whose codes fit: 2^15 or 2^10 boxes a side, with no_box left over.
template <int D>
inline constexpr int max_height = D == 2 ? 15 : 10;

/// The number of boxes that a near field is made of: a box and those that touch it.
template <int D>
inline constexpr int n_stencil = D == 2 ? 9 : 27;

/// The index of the box itself in the stencil.
template <int D>
inline constexpr int stencil_centre = n_stencil<D> / 2;

/// Moves bit b of `x` to bit D b. Each step halves the runs of bits that have not yet parted.
/// \param x below 2^16 (D = 2) or 2^10 (D = 3)
template <int D>
STARFMM_HOST_DEVICE constexpr ZCode spread_bits(std::uint32_t x) {
    static_assert(D == 2 || D == 3);
    if constexpr (D == 2) {
        x = (x | x << 8) & 0x00ff00ffU;
        x = (x | x << 4) & 0x0f0f0f0fU;
        x = (x | x << 2) & 0x33333333U;
        return (x | x << 1) & 0x55555555U;
    } else {
        x = (x | x << 16) & 0x030000ffU;
        x = (x | x << 8) & 0x0300f00fU;
        x = (x | x << 4) & 0x030c30c3U;
        return (x | x << 2) & 0x09249249U;
    }
}

/// Returns the inverse of spread_bits; bits of other coordinates are ignored.
template <int D>
STARFMM_HOST_DEVICE constexpr std::uint32_t compact_bits(ZCode code) {
    static_assert(D == 2 || D == 3);
    std::uint32_t x = code;
    if constexpr (D == 2) {
        x &= 0x55555555U;
        x = (x | x >> 1) & 0x33333333U;
        x = (x | x >> 2) & 0x0f0f0f0fU;
        x = (x | x >> 4) & 0x00ff00ffU;
        return (x | x >> 8) & 0x0000ffffU;
    } else {
        x &= 0x09249249U;
        x = (x | x >> 2) & 0x030c30c3U;
        x = (x | x >> 4) & 0x0300f00fU;
        x = (x | x >> 8) & 0x030000ffU;
        return (x | x >> 16) & 0x000003ffU;
    }
}

/// Returns the code of the box at integer coordinates `at`: coordinate d in bits d,
/// d + D, d + 2 D, ...
template <int D>
STARFMM_HOST_DEVICE constexpr ZCode z_code(const std::array<std::uint32_t, D>& at) {
    ZCode code = 0;
    for (int d = 0; d < D; ++d) {
        code |= spread_bits<D>(at[d]) << d;
    }
    return code;
}

/// Returns the integer coordinates of a box, the inverse of z_code.
template <int D>
STARFMM_HOST_DEVICE constexpr std::array<std::uint32_t, D> z_coordinates(ZCode code) {
    std::array<std::uint32_t, D> at{};
    for (int d = 0; d < D; ++d) {
        at[d] = compact_bits<D>(code >> d);
    }
    return at;
}

/// Returns the bits that hold coordinate `d` in codes of `height` levels.
template <int D>
STARFMM_HOST_DEVICE constexpr ZCode coordinate_mask(int height, int d) {
    return spread_bits<D>((std::uint32_t(1) << height) - 1) << d;
}

/// The place of a box on the curve of the deepest level.
using DeepCode = std::uint64_t;

/// The deepest level whose codes 64 bits hold: 2^31 or 2^21 boxes a side.
template <int D>
inline constexpr int deepest_level = D == 2 ? 31 : 21;

/// Returns z_code on the deepest level.
/// \param at below 2^deepest_level
template <int D>
STARFMM_HOST_DEVICE constexpr DeepCode deep_code(const std::array<std::uint32_t, D>& at) {
    constexpr int half = D == 2 ? 15 : 10; // bits that spread_bits takes
    constexpr std::uint32_t low = (std::uint32_t(1) << half) - 1;
    DeepCode code = 0;
    for (int d = 0; d < D; ++d) {
        const std::uint32_t top = at[d] >> (2 * half);
        code |= (DeepCode(spread_bits<D>(at[d] & low)) |
                 DeepCode(spread_bits<D>(at[d] >> half & low)) << (D * half) |
                 DeepCode(top) << (2 * D * half))
                << d;
    }
    return code;
}

/// The box one step down (-1), up (+1) or nowhere (0) along coordinate `d`; no_box beyond the
/// border. A coordinate is added to in place: ones in the foreign bits hand its carries on.
template <int D>
STARFMM_HOST_DEVICE constexpr ZCode z_step(ZCode code, int height, int d, int step) {
    const ZCode mask = coordinate_mask<D>(height, d);
    const ZCode own = code & mask;
    if (step == 0) {
        return code;
    }
    if (own == (step > 0 ? mask : 0)) {
        return no_box;
    }
    const ZCode one = ZCode(1) << d;
    const ZCode moved = step > 0 ? (own | ~mask) + one : own - one;
    return (moved & mask) | (code & ~mask);
}

/// Returns box `k` of the stencil of `code`, or no_box beyond the border: digit d of k in base 3,
/// less one, is the step along d.
/// \param k in [0, n_stencil<D>)
template <int D>
STARFMM_HOST_DEVICE constexpr ZCode z_neighbour(ZCode code, int height, int k) {
    for (int d = 0; d < D && code != no_box; ++d, k /= 3) {
        code = z_step<D>(code, height, d, k % 3 - 1);
    }
    return code;
}

} // namespace starfmm
