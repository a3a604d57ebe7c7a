// SPDX-License-Identifier: BSD-3-Clause
// Plane waves to local expansions.
#pragma once

#include "codelets/cuda/matrix_units.cuh"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/solid3d/wave_conversions.cuh"
#include "codelets/expansions/solid3d/wave_lists.cuh"

#include <cuda_pipeline.h>

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The waves of a block's rows of one axis and tile in shared memory: all classes need them.
template <class W, int pieces>
struct WaveStage {
    static constexpr int rows = pieces * piece_rows;
    static constexpr int part = tile_waves; ///< waves of a part: real, then imaginary parts
    /// Distance of rows: four of them are in different banks.
    static constexpr int stride = 4 * part + 8;
    W waves[rows * stride];

    /// Returns where the waves of a row lie that go along an axis, or against it.
    [[nodiscard]] const __device__ W* of(int row, int direction, int imaginary) const {
        return waves + row * stride + (2 * direction + imaginary) * part;
    }
};

/// A stage of each axis: one is in use, the next two are on their way.
template <class W, int pieces>
class WaveStages {
public:
    using Stage = WaveStage<W, pieces>;

    __device__
    WaveStages(Stage* stages, const WaveBatch<W>& in, std::size_t first_row, std::size_t n_rows)
        : stages_(stages), tiles_(in.tiles), axis_size_(in.of(1, 0, 0) - in.waves) {
#pragma unroll
        for (int k = 0; k < copies; ++k) {
            const int i = static_cast<int>(threadIdx.x) + k * conversion_threads;
            const int row = i / row_copies;
            const int which = i / part_copies % 4;
            const int wave = i % part_copies * wide;
            const std::size_t own = first_row + static_cast<std::size_t>(row);
            const std::size_t index = own < n_rows ? own : n_rows - 1; // whose sums are not kept
            from_[k] = in.of(0, index, which / 2) + which % 2 * in.size() + wave;
            to_[k] = row * Stage::stride + which * Stage::part + wave;
        }
    }

    /// Begins to copy, behind the last tile nothing.
    __device__ void fetch(int axis, int tile) const {
        if (tile < tiles_) {
#pragma unroll
            for (int k = 0; k < copies; ++k) {
                __pipeline_memcpy_async(
                    stages_[axis].waves + to_[k],
                    from_[k] + axis * axis_size_ + tile * tile_waves,
                    wide * sizeof(W)
                );
            }
        }
        __pipeline_commit();
    }

    [[nodiscard]] const __device__ Stage& operator[](int axis) const {
        return stages_[axis];
    }

private:
    static constexpr int wide = 16 / sizeof(W); ///< waves that one copy moves
    static constexpr int part_copies = Stage::part / wide;
    static constexpr int row_copies = 4 * part_copies;
    /// Copies that a thread makes.
    static constexpr int copies = Stage::rows * row_copies / conversion_threads;
    static_assert(copies * conversion_threads == Stage::rows * row_copies);

    Stage* stages_;
    int tiles_;
    std::ptrdiff_t axis_size_;
    const W* from_[copies];
    int to_[copies];
};

/// Returns the bytes of shared memory of a block that receives.
template <class W, int pieces>
std::size_t receiving_bytes(const WaveShape& shape) {
    return conversion_bytes(shape, pieces) + 3 * sizeof(WaveStage<W, pieces>);
}

/// Makes local expansions of the waves that a block's targets get, a class a warp.
/// \tparam tiles  tiles of eight slots that a warp sums at once
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
    /// \param most  slots of the largest class
    __device__ void receive_all(int most) const {
        const WaveShape& shape = constants_.shape;
        const int begin = shape.class_begin[conversion_warp()];
        const int end = shape.class_begin[conversion_warp() + 1];
        for (int first = 0; first < most; first += tiles * slot_step) {
            Sums sums = {};
            add_all(begin + first, end, sums);
            put(begin + first, end, sums);
        }
    }

    /// Adds the sums to the locals.
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

    using Stage = WaveStage<W, pieces>;

    /// The fragments of the matrix that are on their way before the waves are there; more would not
    /// fit into registers.
    static constexpr int ahead = pieces * tiles <= 8 ? tiles : 1;

    [[nodiscard]] __device__ Stage* stages() const {
        return reinterpret_cast<Stage*>(conversion_room() + pieces * piece_rows * stride_);
    }

    __device__ void add_all(int begin, int end, Sums& sums) const {
        const WaveStages<W, pieces> stages(this->stages(), in_, first_row_, n_rows_);
        const double* matrix =
            constants_.incoming + constants_.shape.fragment(in_.first_tile, 0, begin);
        __syncthreads(); // the stages are done with
        stages.fetch(0, 0);
        stages.fetch(1, 0);
        for (int tile = 0; tile < in_.tiles; ++tile) {
#pragma unroll
            for (int axis = 0; axis < 3; ++axis) {
                double2 first[ahead];
                load(matrix, begin, end, first);
                __pipeline_wait_prior(1);
                __syncthreads();
                stages.fetch((axis + 2) % 3, axis == 0 ? tile : tile + 1);
                const int part = part_of_class(static_cast<WaveAxis>(axis), conversion_warp());
                add_stage(stages[axis], part, matrix, first, begin, end, sums);
                matrix += constants_.shape.fragment(0, 1, 0);
            }
        }
    }

    __device__ static void load(const double* matrix, int begin, int end, double2 (&first)[ahead]) {
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            if (begin + i * slot_step < end) {
                first[i] = load_fragment(matrix, std::size_t(i * slot_step * tile_halves));
            }
        }
    }

    /// Adds a stage.
    /// \param first  first fragments of the matrix
    __device__ static void add_stage(
        const Stage& stage,
        int part,
        const double* matrix,
        const double2 (&first)[ahead],
        int begin,
        int end,
        Sums& sums
    ) {
        Complex<double> folded[pieces][2];
#pragma unroll
        for (int piece = 0; piece < pieces; ++piece) {
            const double2 upper = fold(stage, part, piece * piece_rows);
            const double2 lower = fold(stage, part, piece * piece_rows + piece_rows / 2);
            folded[piece][0] = {upper.x, lower.x};
            folded[piece][1] = {upper.y, lower.y};
        }
#pragma unroll
        for (int i = 0; i < tiles; ++i) {
            if (begin + i * slot_step < end) {
                const double2 b =
                    i < ahead ? first[i < ahead ? i : 0]
                              : load_fragment(matrix, std::size_t(i * slot_step * tile_halves));
#pragma unroll
                for (int piece = 0; piece < pieces; ++piece) {
                    multiply_add_rows(
                        folded[piece], b.x, b.y, sums[piece][i][0], sums[piece][i][1]
                    );
                }
            }
        }
    }

    /// Returns two half waves a lane for degrees of one parity, of its row from `row` on.
    /// \param part 4 * parity + quarter
    __device__ static double2 fold(const Stage& stage, int part, int row) {
        const int own = row + conversion_lane() / 4;
        const int at = 2 * (conversion_lane() % 4);
        const W* along = stage.of(own, 0, part % 4 / 2) + at;
        const W* against = stage.of(own, 1, part % 4 / 2) + at;
        const W sign = part < 4 ? 1 : -1;
        const W twin = adds_mirrored(part % 4) ? 1 : -1;
        const auto a = load_pair(along);
        const auto b = load_pair(against);
        const auto c = load_pair(along + tile_halves);
        const auto d = load_pair(against + tile_halves);
        const W first = b.x + sign * a.x + twin * (d.x + sign * c.x); // one conversion, not four
        const W second = b.y + sign * a.y + twin * (d.y + sign * c.y);
        return make_double2(first, second);
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

/// The blocks of one kernel that a multiprocessor should run at once: few sums leave registers for
/// two.
template <int pieces, int tiles>
inline constexpr int receiving_blocks = pieces* tiles <= 12 ? 2 : 1;

/// Adds what all targets of waves get to their locals.
/// \param most_slots  slots of the largest class
template <class K, class W, int pieces, int tiles>
__global__ void __launch_bounds__(conversion_threads, receiving_blocks<pieces, tiles>)
    receive_waves_kernel(
        const __grid_constant__ M2LTask<K> task,
        int n,
        const __grid_constant__ DeviceWaves<W> constants,
        const WaveBatch<W> in,
        const __grid_constant__ WaveArrays lists,
        int most_slots
    ) {
    const std::size_t first = std::size_t(blockIdx.x) * (pieces * piece_rows);
    const std::size_t n_rows = lists.counts->targets;
    if (first >= n_rows) {
        return;
    }
    const WaveReceiving<W, pieces, tiles> receiving(constants, in, first, n_rows);
    receiving.receive_all(most_slots);
    __syncthreads();
    receiving.add_to_locals(task, n, lists.targets);
}

} // namespace starfmm
