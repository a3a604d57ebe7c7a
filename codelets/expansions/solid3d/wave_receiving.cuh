// SPDX-License-Identifier: BSD-3-Clause
// Plane waves to local expansions.
#pragma once

#include "codelets/cuda/matrix_units.cuh"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/solid3d/wave_conversions.cuh"
#include "codelets/expansions/solid3d/wave_lists.cuh"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Makes local expansions of the waves that a block's targets get: a class a warp.
/// \tparam tiles of eight slots that a warp sums at once
template <class W, int pieces, int tiles>
class WaveReceiving {
public:
    __device__ WaveReceiving(
        const DeviceWaves<W>& constants,
        const WaveBatch<W>& in,
        std::size_t first_row,
        std::size_t n_rows
    )
        : constants_(constants), in_(in), first_row_(first_row), n_rows_(n_rows),
          stride_(slot_stride(constants.shape.slots)) {}

    /// Sums over all axes and waves, into shared memory.
    __device__ void receive_all() const {
        const WaveShape& shape = constants_.shape;
        const int end = shape.class_begin[conversion_warp() + 1];
        for (int slot = shape.class_begin[conversion_warp()]; slot < end;
             slot += tiles * slot_step) {
            Sums sums = {};
            for (int axis = 0; axis < 3; ++axis) {
                for (int tile = 0; tile < in_.tiles; ++tile) {
                    add_tile(tile, axis, slot, end, sums);
                }
            }
            put(slot, end, sums);
        }
    }

    /// Adds them to the locals.
    template <class K>
    __device__ void
    add_to_locals(const M2LTask<K>& task, int n, const std::uint32_t* targets) const {
        constexpr double sides_per_radius = 0.86602540378443864676;
        const double* room = conversion_room();
        for (int row = conversion_warp(); row < pieces * piece_rows; row += conversion_warps) {
            const std::size_t index = first_row_ + static_cast<std::size_t>(row);
            if (index >= n_rows_) {
                return;
            }
            const std::size_t box = targets[index];
            const double unit = sides_per_radius / task.boxes.radius[box];
            auto* local = task.locals + box * static_cast<std::size_t>(n);
            for (int k = conversion_lane(); k < n; k += warp_lanes) {
                local[k] += static_cast<typename K::Real>(
                    unit * room[row * stride_ + constants_.slot_of[k]]
                );
            }
        }
    }

private:
    using Sums = Complex<double>[pieces][tiles][2];

    __device__ void add_tile(int tile, int axis, int begin, int end, Sums& sums) const {
        const int part = part_of_class(static_cast<WaveAxis>(axis), conversion_warp());
        Complex<double> folded[pieces][2];
#pragma unroll
        for (int piece = 0; piece < pieces; ++piece) {
            const double2 upper = fold(tile, axis, part, piece * piece_rows);
            const double2 lower = fold(tile, axis, part, piece * piece_rows + piece_rows / 2);
            folded[piece][0] = {upper.x, lower.x};
            folded[piece][1] = {upper.y, lower.y};
        }
        const std::size_t fragment = constants_.shape.fragment(in_.first_tile + tile, axis, begin);
#pragma unroll
        for (int i = 0; i < tiles; ++i) {
            if (begin + i * slot_step < end) {
                const double2 b = load_fragment(
                    constants_.incoming, fragment + std::size_t(i * slot_step * tile_halves)
                );
#pragma unroll
                for (int piece = 0; piece < pieces; ++piece) {
                    multiply_add_rows(
                        folded[piece], b.x, b.y, sums[piece][i][0], sums[piece][i][1]
                    );
                }
            }
        }
    }

    /// Two half waves a lane for degrees of one parity, of its row from `row` on.
    /// \param part 4 * parity + quarter
    __device__ double2 fold(int tile, int axis, int part, int row) const {
        const int lane = conversion_lane();
        const std::size_t own = first_row_ + static_cast<std::size_t>(row + lane / 4);
        const std::size_t index = own < n_rows_ ? own : n_rows_ - 1; // whose sums are not kept
        const int at = part % 4 / 2 * in_.size() + tile * tile_waves + 2 * (lane % 4);
        const W* along = in_.of(axis, index, 0) + at;
        const W* against = in_.of(axis, index, 1) + at;
        const double sign = part < 4 ? 1 : -1;
        const double twin = adds_mirrored(part % 4) ? 1 : -1;
        const double2 a = load_pair(along);
        const double2 b = load_pair(against);
        const double2 c = load_pair(along + tile_halves);
        const double2 d = load_pair(against + tile_halves);
        return make_double2(
            b.x + sign * a.x + twin * (d.x + sign * c.x),
            b.y + sign * a.y + twin * (d.y + sign * c.y)
        );
    }

    __device__ void put(int begin, int end, const Sums& sums) const {
        const int lane = conversion_lane();
        double* room = conversion_room() + lane / 4 * stride_ + 2 * (lane % 4);
#pragma unroll
        for (int i = 0; i < tiles; ++i) {
            if (begin + i * slot_step < end) {
#pragma unroll
                for (int piece = 0; piece < pieces; ++piece) {
                    double* upper = room + piece * piece_rows * stride_ + begin + i * slot_step;
                    double* lower = upper + piece_rows / 2 * stride_;
#pragma unroll
                    for (int column = 0; column < 2; ++column) {
                        upper[column] = sums[piece][i][column].re;
                        lower[column] = sums[piece][i][column].im;
                    }
                }
            }
        }
    }

    const DeviceWaves<W>& constants_;
    const WaveBatch<W>& in_;
    std::size_t first_row_;
    std::size_t n_rows_;
    int stride_;
};

/// Blocks of one kernel that a multiprocessor should run at once: few sums leave registers for two.
template <int tiles>
inline constexpr int receiving_blocks = tiles <= 6 ? 2 : 1;

/// Adds what all targets of waves get to their locals.
template <class K, class W, int pieces, int tiles>
__global__ void __launch_bounds__(conversion_threads, receiving_blocks<tiles>) receive_waves_kernel(
    const __grid_constant__ M2LTask<K> task,
    int n,
    const __grid_constant__ DeviceWaves<W> constants,
    const WaveBatch<W> in,
    const WaveArrays lists
) {
    const std::size_t first = std::size_t(blockIdx.x) * (pieces * piece_rows);
    const std::size_t n_rows = lists.counts[1];
    if (first >= n_rows) {
        return;
    }
    const WaveReceiving<W, pieces, tiles> receiving(constants, in, first, n_rows);
    receiving.receive_all();
    __syncthreads();
    receiving.add_to_locals(task, n, lists.targets);
}

} // namespace starfmm
