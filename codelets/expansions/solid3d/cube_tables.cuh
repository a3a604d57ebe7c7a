// SPDX-License-Identifier: BSD-3-Clause
// The constants of shifts between cubes, in a device's memory.
#pragma once

#include "codelets/cuda/kept_on_devices.cuh"
#include "core/expansions/cube_shifts.hpp"

#include <cstdint>
#include <vector>

namespace starfmm {

/// CubePieces in a device's memory.
struct DeviceCubePieces {
    const CubePair* pairs;
    const std::uint32_t* begin;
};

/// The constants of one order.
struct CubeTables {
    DeviceCubePieces m2m;
    DeviceCubePieces l2l;
};

/// Copies CubePieces to the current device.
inline DeviceCubePieces copy_of_pieces(const CubePieces& pieces) {
    return {copy_of_constants(pieces.pairs), copy_of_constants(pieces.begin)};
}

/// Returns the constants in the current device's memory, made by the first call for an order, and
/// kept. They take O(order^4) bytes: 1 MB for order 17, 23 MB for order 40.
inline const CubeTables& cube_tables(int order) {
    static KeptOnDevices<int, CubeTables> kept;
    return kept.of(order, [order] {
        const std::vector<double> matrix = cube_shift_matrix(order);
        return CubeTables{
            copy_of_pieces(cube_m2m_pieces(order, matrix)),
            copy_of_pieces(cube_l2l_pieces(order, matrix))};
    });
}

} // namespace starfmm
