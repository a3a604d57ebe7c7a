// SPDX-License-Identifier: BSD-3-Clause
// Conversions by the matrices of core/expansions/wave_matrices.hpp on the FP64 matrix units: what
// those to waves and those from waves share. Rows are boxes, sixteen a piece, and columns half
// waves or coefficients.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "core/expansions/wave_matrices.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// WaveMatrices in the device's memory.
/// \tparam W  float where tolerances allow waves in single precision
template <class W>
struct DeviceWaves {
    WaveShape shape;
    const std::uint16_t* slot_of;
    const double* outgoing;
    const double* incoming;
    const W* phases;
    const W* decays;
    std::size_t most_bytes; ///< bytes that waves of one batch may take
};

/// The waves that are treated at once, of all axes and directions, and where they lie.
template <class W>
struct WaveBatch {
    int first_tile;
    int tiles;
    W* waves;           ///< [axis][box][along, against][re, im][wave of the batch]
    std::size_t n_rows; ///< boxes that there is room for

    [[nodiscard]] STARFMM_HOST_DEVICE int size() const { return tiles * tile_waves; }

    /// Returns the distance from one box's waves to the next one's of the same axis and direction.
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t row_size() const {
        return 4 * static_cast<std::uint32_t>(size());
    }

    /// Returns a box's waves in one direction: real parts, then imaginary ones.
    [[nodiscard]] STARFMM_HOST_DEVICE W* of(int axis, std::size_t row, int direction) const {
        const std::size_t at = (std::size_t(axis) * n_rows + row) * 2 + std::size_t(direction);
        return waves + at * 2 * std::size_t(size());
    }
};

/// The warps of a block: as many as there are classes.
inline constexpr int conversion_warps = wave_classes;
inline constexpr int conversion_threads = conversion_warps * warp_lanes;

/// The rows of boxes that matrix units take at once.
inline constexpr int piece_rows = 16;

/// Returns the distance from box to box in shared memory: four rows of a piece are in different
/// banks.
STARFMM_HOST_DEVICE inline int slot_stride(int slots) {
    return slots + (slots % 16 == 0 ? 4 : 12);
}

/// Returns the bytes of shared memory that a block of so many pieces needs.
inline std::size_t conversion_bytes(const WaveShape& shape, int pieces) {
    return sizeof(double) * std::size_t(pieces * piece_rows) *
           std::size_t(slot_stride(shape.slots));
}

__device__ inline double* conversion_room() {
    extern __shared__ __align__(16) unsigned char conversion_memory[];
    return reinterpret_cast<double*>(conversion_memory);
}

__device__ inline int conversion_lane() {
    return static_cast<int>(threadIdx.x % warp_lanes);
}

__device__ inline int conversion_warp() {
    return static_cast<int>(threadIdx.x / warp_lanes);
}

/// Returns the lane's part of a fragment.
__device__ inline double2 load_fragment(const double* matrix, std::size_t fragment) {
    return reinterpret_cast<const double2*>(matrix + fragment)[conversion_lane()];
}

__device__ inline void store_pair(float* to, double first, double second) {
    *reinterpret_cast<float2*>(to) =
        make_float2(static_cast<float>(first), static_cast<float>(second));
}

__device__ inline void store_pair(double* to, double first, double second) {
    *reinterpret_cast<double2*>(to) = make_double2(first, second);
}

__device__ inline float2 load_pair(const float* from) {
    return *reinterpret_cast<const float2*>(from);
}

__device__ inline double2 load_pair(const double* from) {
    return *reinterpret_cast<const double2*>(from);
}

} // namespace starfmm
