// SPDX-License-Identifier: BSD-3-Clause
// Multipoles to plane waves.
#pragma once

#include "codelets/cuda/matrix_units.cuh"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/solid3d/wave_arrays.cuh"
#include "codelets/expansions/solid3d/wave_conversions.cuh"

#include <cstddef>

namespace starfmm {

/// Makes waves of the multipoles of a block's boxes, which lie in shared memory by slots.
template <class W, int pieces>
class WaveForming {
public:
    __device__ WaveForming(
        const DeviceWaves<W>& constants,
        const WaveBatch<W>& out,
        std::size_t first_row,
        std::size_t n_rows
    )
        : constants_(constants), out_(out), first_row_(first_row), n_rows_(n_rows),
          stride_(slot_stride(constants.shape.slots)) {}

    /// Loads the multipoles.
    /// \param n_own  boxes of the first slot
    template <class K>
    __device__ void
    load(const M2LTask<K>& task, const WaveArrays& lists, std::size_t n_own, int n) const {
        double* room = conversion_room();
        for (int i = static_cast<int>(threadIdx.x); i < pieces * piece_rows * stride_;
             i += conversion_threads) {
            room[i] = 0;
        }
        __syncthreads();
        for (int row = conversion_warp(); row < pieces * piece_rows; row += conversion_warps) {
            const std::size_t index = first_row_ + static_cast<std::size_t>(row);
            const bool is_gap = index >= n_own && index < lists.first_box[1];
            if (index >= n_rows_ || is_gap) {
                continue;
            }
            const SlotBox source = lists.sender(index);
            const auto* multipole =
                task.multipoles[source.slot] + source.box * static_cast<std::size_t>(n);
            for (int k = conversion_lane(); k < n; k += warp_lanes) {
                room[row * stride_ + constants_.slot_of[k]] = multipole[k];
            }
        }
        __syncthreads();
    }

    /// Forms the waves of all axes, tiles, and real and imaginary parts, one of these a warp.
    __device__ void form_all() const {
        for (int item = conversion_warp(); item < 6 * out_.tiles; item += conversion_warps) {
            __syncwarp(); // matrix units take whole warps
            Sums sums = {};
            const int tile = item / 6;
            const auto axis = static_cast<WaveAxis>(item / 2 % 3);
            const int part = item % 2;
            multiply(out_.first_tile + tile, axis, part, sums);
            store(tile, axis, part, sums);
        }
    }

private:
    static constexpr int at_once = 4; ///< fragments at a time

    /// The sums of a lane: [piece][2 * parity of degrees + quarter of the part][column].
    using Sums = Complex<double>[pieces][4][2];

    __device__ void multiply(int tile, WaveAxis axis, int part, Sums& sums) const {
        const WaveShape& shape = constants_.shape;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int c = class_of_part(axis, i / 2, 2 * part + i % 2);
            const int end = shape.class_begin[c + 1];
            for (int slot = shape.class_begin[c]; slot < end; slot += at_once * slot_step) {
                const std::size_t fragment = shape.fragment(tile, static_cast<int>(axis), slot);
                multiply_class(fragment, slot, end, sums, i);
            }
        }
    }

    /// Multiplies a few fragments, all of which are on their way before the first is used.
    __device__ __forceinline__ void
    multiply_class(std::size_t fragment, int slot, int end, Sums& sums, int i) const {
        const double* row =
            conversion_room() + conversion_lane() / 4 * stride_ + conversion_lane() % 4;
        double2 b[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            if (slot + k * slot_step < end) {
                b[k] = load_fragment(
                    constants_.outgoing, fragment + std::size_t(k * slot_step * tile_halves)
                );
            }
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            if (slot + k * slot_step < end) {
#pragma unroll
                for (int piece = 0; piece < pieces; ++piece) {
                    const double* upper = row + piece * piece_rows * stride_ + slot + k * slot_step;
                    const double* lower = upper + piece_rows / 2 * stride_;
                    const Complex<double> a[2] = {{upper[0], lower[0]}, {upper[4], lower[4]}};
                    multiply_add_rows(a, b[k].x, b[k].y, sums[piece][i][0], sums[piece][i][1]);
                }
            }
        }
    }

    /// Stores two waves a lane, and their twins, in each direction.
    __device__ void store(int tile, WaveAxis axis, int part, const Sums& sums) const {
        const int lane = conversion_lane();
        const double twin = adds_mirrored(2 * part) ? 1 : -1; // of the quarter after, the opposite
#pragma unroll
        for (int piece = 0; piece < pieces; ++piece) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const std::size_t row =
                    first_row_ +
                    static_cast<std::size_t>(piece * piece_rows + half * piece_rows / 2 + lane / 4);
                if (row >= n_rows_) {
                    continue;
                }
                const auto value = [&](int i, int column) {
                    const Complex<double>& sum = sums[piece][i][column];
                    return half == 0 ? sum.re : sum.im;
                };
                for (int direction = 0; direction < 2; ++direction) {
                    const double sign = direction == 0 ? 1 : -1;
                    const double a0 = value(0, 0) + sign * value(2, 0);
                    const double a1 = value(0, 1) + sign * value(2, 1);
                    const double b0 = value(1, 0) + sign * value(3, 0);
                    const double b1 = value(1, 1) + sign * value(3, 1);
                    W* to = out_.of(static_cast<int>(axis), row, direction) + part * out_.size() +
                            tile * tile_waves + 2 * (lane % 4);
                    store_pair(to, a0 + b0, a1 + b1);
                    store_pair(to + tile_halves, twin * (a0 - b0), twin * (a1 - b1));
                }
            }
        }
    }

    const DeviceWaves<W>& constants_;
    const WaveBatch<W>& out_;
    std::size_t first_row_;
    std::size_t n_rows_;
    int stride_;
};

/// Forms the waves of all boxes of the first slot, and of the other slots' that send any.
/// \tparam pieces  pieces of rows a block
template <class K, class W, int pieces>
__global__ void __launch_bounds__(conversion_threads, 2) form_waves_kernel(
    const __grid_constant__ M2LTask<K> task,
    int n,
    const __grid_constant__ DeviceWaves<W> constants,
    const __grid_constant__ WaveArrays lists,
    const WaveBatch<W> out
) {
    const std::size_t first = std::size_t(blockIdx.x) * (pieces * piece_rows);
    const std::size_t n_own = task.sources[0].orthtree().total_boxes();
    const std::size_t n_rows = lists.n_rows(n_own);
    if (first >= n_rows) {
        return;
    }
    const WaveForming<W, pieces> forming(constants, out, first, n_rows);
    forming.load(task, lists, n_own, n);
    forming.form_all();
}

} // namespace starfmm
