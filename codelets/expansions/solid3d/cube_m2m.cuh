// SPDX-License-Identifier: BSD-3-Clause
// M2M between cubes: children are combined by their signs, and multiplied by the constant matrix.
#pragma once

#include "codelets/expansions/solid3d/cube_shift.cuh"
#include "codelets/expansions/solid3d/solid_m2m.cuh"

namespace starfmm {

/// The number of the children's coefficients that a block combines at once, a lane each.
inline constexpr int cube_stage_rows = warp_lanes;

/// M2M of sixteen parents.
/// \tparam rounds  rounds of octets of the order
template <class K, int rounds>
class CubeM2M {
public:
    /// The tiles of a class that a warp sums up at once: ten leave registers for the rest.
    static constexpr int tiles = std::min(cube_tiles(8 * rounds), 10);
    using Real = typename K::Real;
    using Task = M2MTask<K>;
    using Octets = SolidM2M<K>;

    static const DeviceCubePieces& pieces(const CubeTables& tables) { return tables.m2m; }

    static unsigned __host__ __device__ least_parts(int order) {
        return (most_parts(order) + tiles - 1) / tiles;
    }

    static unsigned __host__ __device__ most_parts(int order) {
        return static_cast<unsigned>(cube_tiles(order));
    }

    /// Returns the stages of children in shared memory: one is multiplied while the next is
    /// combined.
    static int buffers(int /*order*/) { return 2; }

    /// Returns the bytes of shared memory that a block needs.
    static std::size_t bytes(int /*order*/, int n_buffers) {
        return std::size_t(n_buffers) * stage_size * sizeof(double);
    }

    __device__ static BoxRange octet(const TaskTree<3>& /*tree*/, std::size_t parent) {
        return {parent, parent + 1};
    }

    __device__ CubeM2M(const Task& task, const CubeLaunch& launch, const CubeFamilies& families)
        : task_(task), n_(task.args.order * task.args.order), launch_(launch), families_(families) {
    }

    /// Writes a part of the multipoles of the parents from `first` on.
    __device__ void shift(unsigned first, const Share& part) const {
        __shared__ int most_steps[CubeClasses::n_classes];
        const int n_tiles = cube_tiles(task_.args.order);
        const int begin = static_cast<int>(n_tiles * part.index / part.of);
        const int end = static_cast<int>(n_tiles * (part.index + 1) / part.of);
        const Tiles own(launch_.pieces, n_tiles, begin, end);
        most_steps[threadIdx.x / warp_lanes] = own.steps();
        __syncthreads();
        int steps = 0;
        for (const int steps_of_class : most_steps) {
            steps = max(steps, steps_of_class);
        }
        Complex<double> sums[tiles][2] = {};
        sum_up(first, (steps + stage_steps - 1) / stage_steps, own, sums);
#pragma unroll
        for (int i = 0; i < tiles; ++i) {
            if (begin + i < end) {
                store(first, begin + i, sums[i]);
            }
        }
    }

private:
    static constexpr int stage_steps = cube_stage_rows / cube_piece;
    static constexpr int stage_size = CubeClasses::n_classes * cube_stage_rows * cube_columns;
    static constexpr int lane_columns = cube_columns / CubeClasses::n_classes;

    /// The warp's tiles and their pieces, of which a tile has one a step.
    class Tiles {
    public:
        __device__ Tiles(const DeviceCubePieces& pieces, int n_tiles, int first, int last)
            : pairs_(pieces.pairs) {
            const int warp = static_cast<int>(threadIdx.x / warp_lanes);
            const std::uint32_t* begin = pieces.begin + warp * (n_tiles + 1);
#pragma unroll
            for (int i = 0; i <= tiles; ++i) {
                begin_[i] = begin[min(first + i, last)];
            }
        }

        [[nodiscard]] __device__ bool has(int i, int step) const {
            return begin_[i] + step < begin_[i + 1];
        }

        /// Returns the number of steps of the longest tile.
        [[nodiscard]] __device__ int steps() const {
            int most = 0;
#pragma unroll
            for (int i = 0; i < tiles; ++i) {
                most = max(most, static_cast<int>(begin_[i + 1] - begin_[i]));
            }
            return most;
        }

        __device__ void load(int step, CubePair (&out)[tiles]) const {
#pragma unroll
            for (int i = 0; i < tiles; ++i) {
                out[i] = load_piece(pairs_, begin_[i] + step, has(i, step));
            }
        }

    private:
        const CubePair* pairs_;
        std::uint32_t begin_[tiles + 1];
    };

    using Children = CubeChildren<Real, lane_columns>;

    /// Returns the column of a lane's children.
    __device__ static unsigned column_of(int i) {
        return threadIdx.x / warp_lanes + static_cast<unsigned>(i * CubeClasses::n_classes);
    }

    __device__ void load(unsigned first, int stage, Children& children) const {
        const int k = stage * cube_stage_rows + static_cast<int>(threadIdx.x % warp_lanes);
        children.load(task_.multipoles, n_, k, families_, first, column_of);
    }

    /// Combines the children for the rows of each class.
    __device__ void combine(unsigned first, int stage, const Children& children) const {
        const auto& classes = constant_table<CubeClasses>();
        const int row = static_cast<int>(threadIdx.x % warp_lanes);
        const int k = min(stage * cube_stage_rows + row, n_ - 1);
        const int own_class = classes.class_of(k);
#pragma unroll
        for (int i = 0; i < lane_columns; ++i) {
            const unsigned column = min(first + column_of(i), CubeFamilies::most - 1);
            double sums[8];
#pragma unroll
            for (int c = 0; c < 8; ++c) {
                // of a child that is not there, or a column, the factor may be anything
                const double factor = excess_factor(classes, k, families_.child_excess[column][c]);
                const auto value = static_cast<double>(children.of[i][c]);
                sums[c] = value != 0 ? factor * value : 0.0;
            }
            combine_mirrored(sums);
#pragma unroll
            for (int s = 0; s < 8; ++s) {
                rows(stage, s ^ own_class).at(row, static_cast<int>(column_of(i))) = sums[s];
            }
        }
    }

    /// Returns the rows that the rows of a class are multiplied with.
    __device__ static CubeRows rows(int stage, int of_class) {
        extern __shared__ __align__(16) unsigned char shared_bytes[];
        auto* entries = reinterpret_cast<double*>(shared_bytes);
        return CubeRows(
            entries + stage % 2 * stage_size + of_class * cube_stage_rows * cube_columns
        );
    }

    __device__ void
    sum_up(unsigned first, int stages, const Tiles& own, Complex<double> (&sums)[tiles][2]) const {
        Children children;
        CubePair pieces[tiles];
        load(first, 0, children);
        own.load(0, pieces);
        combine(first, 0, children);
        __syncthreads();
        for (int stage = 0; stage < stages; ++stage) {
            const bool has_next = stage + 1 < stages;
            if (has_next) {
                load(first, stage + 1, children);
            }
            multiply(stage, own, pieces, sums);
            if (has_next) {
                combine(first, stage + 1, children);
            }
            __syncthreads();
        }
    }

    /// Multiplies a stage.
    /// \param pieces  those of the stage's first step; then of the next stage's
    __device__ static void multiply(
        int stage, const Tiles& own, CubePair (&pieces)[tiles], Complex<double> (&sums)[tiles][2]
    ) {
        const CubeRows rows_of_class = rows(stage, static_cast<int>(threadIdx.x / warp_lanes));
#pragma unroll
        for (int i = 0; i < stage_steps; ++i) {
            const int step = stage * stage_steps + i;
            CubePair next[tiles];
            own.load(step + 1, next);
            Complex<double> x[2];
            rows_of_class.load(i * cube_piece, x);
#pragma unroll
            for (int tile = 0; tile < tiles; ++tile) {
                if (own.has(tile, step)) {
                    multiply_add(
                        x, pieces[tile].first, pieces[tile].second, sums[tile][0], sums[tile][1]
                    );
                }
                pieces[tile] = next[tile];
            }
        }
    }

    /// Stores a tile of the class, of which a lane has two coefficients of two columns.
    __device__ void store(unsigned first, int tile, const Complex<double> (&sums)[2]) const {
        const auto& classes = constant_table<CubeClasses>();
        const int of_class = static_cast<int>(threadIdx.x / warp_lanes);
        const int lane = static_cast<int>(threadIdx.x % warp_lanes);
        const unsigned column = first + static_cast<unsigned>(lane / 4);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int member = cube_piece * tile + lane % 4 * 2 + i;
            if (member < classes.below(of_class, task_.args.order)) {
                const int k = classes.member(of_class, member);
                store(column, k, sums[i].re);
                store(column + 8, k, sums[i].im);
            }
        }
    }

    __device__ void store(unsigned column, int k, double sum) const {
        if (column < families_.n_cubes) {
            const double excess = -families_.parent_excess[column];
            const double factor = excess_factor(constant_table<CubeClasses>(), k, excess);
            task_.multipoles[std::size_t(families_.parents[column]) * n_ + k] =
                static_cast<Real>(factor * sum);
        }
    }

    const Task& task_;
    int n_;
    const CubeLaunch& launch_;
    const CubeFamilies& families_;
};

} // namespace starfmm
