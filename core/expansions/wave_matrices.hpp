// SPDX-License-Identifier: BSD-3-Clause
// Conversions between expansions and plane waves of all three axes as dense matrices for matrix
// units, in the coordinates of the expansions.
//
// Harmonics belong to eight classes by their parities in x, y and z, each of which makes one part
// of the waves of an axis. A half wave joins the waves of an angle a_j <= pi / 2 and of pi - a_j,
// which are sums and differences of such parts; waves against the axis differ in signs from those
// along it.
#pragma once

#include "core/expansions/plane_waves.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starfmm {

/// The largest offset across the axis that phases are tabulated for.
inline constexpr int most_wave_offset = 3;
inline constexpr int wave_offsets = 2 * most_wave_offset + 1;

/// The number of half waves that matrix units take at once, and of their waves.
inline constexpr int tile_halves = 8;
inline constexpr int tile_waves = 2 * tile_halves;

/// The number of coefficients that matrix units take at once; a class is padded to a multiple.
inline constexpr int slot_step = 8;

inline constexpr int wave_classes = 8;

/// Returns the class of a harmonic by its parities, 0 or 1, in x, y and z.
STARFMM_HOST_DEVICE constexpr int wave_class(int x, int y, int z) {
    return x + 2 * y + 4 * z;
}

/// Returns the class of the harmonics of part `quarter` (even cosines, even sines, odd cosines, odd
/// sines) over degrees of parity `q`, as seen along an axis.
STARFMM_HOST_DEVICE constexpr int class_of_part(WaveAxis axis, int q, int quarter) {
    const int x = quarter == 1 || quarter == 2 ? 1 : 0;
    const int y = quarter % 2;
    const int z = (q + quarter / 2) % 2;
    return axis == WaveAxis::x   ? wave_class(z, y, x)
           : axis == WaveAxis::y ? wave_class(y, z, x)
                                 : wave_class(x, y, z);
}

/// Returns the part, 4 q + quarter, that class_of_part() maps to the class `parities`.
STARFMM_HOST_DEVICE constexpr int part_of_class(WaveAxis axis, int parities) {
    const Vector3<int> seen =
        along_axis(axis, Vector3<int>{parities % 2, parities / 2 % 2, parities / 4});
    const int quarter = seen.y == 0 ? 2 * seen.x : 3 - 2 * seen.x;
    return 4 * ((seen.z + quarter / 2) % 2) + quarter;
}

/// Whether a mirrored half wave's parts are added to those of its twin, not subtracted.
STARFMM_HOST_DEVICE constexpr bool adds_mirrored(int quarter) {
    return quarter == 0 || quarter == 3;
}

/// The sizes and places in the matrices, as host and device see them.
struct WaveShape {
    int order = 0;
    int tiles = 0; ///< number of tiles of half waves
    /// Number of coefficients, class by class, degrees ascending, padded with nothing.
    int slots = 0;
    int class_begin[wave_classes + 1] = {};

    [[nodiscard]] STARFMM_HOST_DEVICE int waves() const { return tiles * tile_waves; }

    /// Returns where the matrix of eight slots and a tile begins: [lane][2].
    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t fragment(int tile, int axis, int slot) const {
        return (std::size_t(3 * tile + axis) * std::size_t(slots) + std::size_t(slot)) *
               tile_halves;
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t entries() const { return fragment(tiles, 0, 0); }

    /// Returns where the phases of an offset begin: [re, im][wave].
    [[nodiscard]] STARFMM_HOST_DEVICE int phase(int dx, int dy) const {
        return ((dy + most_wave_offset) * wave_offsets + dx + most_wave_offset) * 2 * waves();
    }
};

/// The matrices. Waves are in the order of tiles, and within a tile first those of a_j, then those
/// of pi - a_j.
struct WaveMatrices {
    WaveShape shape;
    std::vector<std::uint16_t> slot_of; ///< [order^2], the slot of each coefficient
    std::vector<double> outgoing;       ///< [lane][i]: slot 4 i + lane % 4, half wave lane / 4
    std::vector<double> incoming;       ///< [lane][i]: half wave 2 (lane % 4) + i, slot lane / 4
    std::vector<double> phases;         ///< [offset y][offset x][re, im][wave]
    std::vector<double> decays;         ///< [two sides, three][wave]
};

/// Makes the matrices in O(order^3 waves): some milliseconds, at order 36 a second.
[[nodiscard]] WaveMatrices make_wave_matrices(const WaveRule& rule, int order);

} // namespace starfmm
