// SPDX-License-Identifier: BSD-3-Clause
// L2L between cubes: parents times the constant matrix, class by class, whose sums are combined to
// children by their signs.
#pragma once

#include "codelets/expansions/solid3d/cube_shift.cuh"
#include "codelets/expansions/solid3d/solid_l2l.cuh"

namespace starfmm {

/// L2L of sixteen parents.
/// \tparam rounds  rounds of octets of the order
template <class K, int rounds>
class CubeL2L {
public:
    static constexpr int tiles = cube_chunk_tiles(8 * rounds);
    using Real = typename K::Real;
    using Task = L2LTask<K>;
    using Octets = SolidL2L<K>;

    static const DeviceCubePieces& pieces(const CubeTables& tables) { return tables.l2l; }

    static unsigned __host__ __device__ least_parts(int /*order*/) { return 1; }

    static unsigned __host__ __device__ most_parts(int order) {
        return static_cast<unsigned>(cube_chunks(order));
    }

    /// Returns how many chunks' sums shared memory has room for: of two, one is combined while the
    /// next is summed up.
    static int buffers(int order) { return bytes(order, 2) <= block_shared_bytes() ? 2 : 1; }

    /// Returns the bytes of shared memory that a block needs.
    static std::size_t bytes(int order, int n_buffers) {
        const int rows = begin(CubeClasses::n_classes, order);
        return (std::size_t(rows) * cube_columns + std::size_t(n_buffers) * chunk_size) *
               sizeof(double);
    }

    __device__ static BoxRange octet(const TaskTree<3>& tree, std::size_t parent) {
        return tree.children(parent);
    }

    __device__ CubeL2L(const Task& task, const CubeLaunch& launch, const CubeFamilies& families)
        : task_(task), n_(task.args.order * task.args.order), launch_(launch), families_(families) {
    }

    /// Adds to a part of the local expansions of the children of the parents from `first` on.
    __device__ void shift(unsigned first, const Share& part) const {
        const int chunks = cube_chunks(task_.args.order);
        const auto parts = static_cast<int>(part.of);
        if (threadIdx.x <= CubeClasses::n_classes) {
            begins()[threadIdx.x] = begin(static_cast<int>(threadIdx.x), task_.args.order);
        }
        __syncthreads();
        load_parents(first);
        __syncthreads();
        int buffer = 0;
        for (int chunk = static_cast<int>(part.index); chunk < chunks; chunk += parts) {
            Children children;
            load(first, chunk, children);
            Complex<double> sums[tiles][2] = {};
            sum_up(chunk, chunks, sums);
            store(buffer, sums);
            __syncthreads();
            add(first, chunk, buffer, children);
            if (launch_.buffers == 1) {
                __syncthreads();
            } else {
                buffer = 1 - buffer;
            }
        }
    }

private:
    static constexpr int chunk_columns = cube_piece * tiles;
    static constexpr int chunk_size = CubeClasses::n_classes * chunk_columns * cube_columns;
    static constexpr int columns_at_once = cube_threads / chunk_columns;
    static constexpr int lane_columns = cube_columns / columns_at_once;
    static constexpr int loads_at_once = 8;

    /// Returns the number of a class's members, rounded up to whole pieces.
    STARFMM_HOST_DEVICE static int members(int of_class, int order) {
        const int n = constant_table<CubeClasses>().below(of_class, order);
        return (n + cube_piece - 1) / cube_piece * cube_piece;
    }

    /// Returns the first row of a class among the parents' coefficients.
    STARFMM_HOST_DEVICE static int begin(int of_class, int order) {
        int sum = 0;
        for (int before = 0; before < of_class; ++before) {
            sum += members(before, order);
        }
        return sum;
    }

    /// Returns begin() of each class, and of the end.
    __device__ static int* begins() {
        __shared__ int rows[CubeClasses::n_classes + 1];
        return rows;
    }

    __device__ static double* room() {
        extern __shared__ __align__(16) unsigned char shared_bytes[];
        return reinterpret_cast<double*>(shared_bytes);
    }

    [[nodiscard]] __device__ CubeRows parents(int of_class) const {
        return CubeRows(room() + begins()[of_class] * cube_columns);
    }

    /// Returns the sums over a class of T's rows.
    [[nodiscard]] __device__ CubeRows sums_of(int buffer, int of_class) const {
        double* const sums = room() + begins()[CubeClasses::n_classes] * cube_columns;
        return CubeRows(sums + buffer * chunk_size + of_class * chunk_columns * cube_columns);
    }

    using Children = CubeChildren<Real, lane_columns>;

    /// Returns a lane's column, counted from the first.
    __device__ static int column_of(int i) {
        return static_cast<int>(threadIdx.x / chunk_columns) + i * columns_at_once;
    }

    /// Returns the lane's coefficient of a chunk.
    __device__ static int coefficient_of(int chunk) {
        return chunk * chunk_columns + static_cast<int>(threadIdx.x % chunk_columns);
    }

    /// Returns the child of a lane's column, if there is one and the lane has a coefficient of it.
    [[nodiscard]] __device__ std::uint32_t child(unsigned first, int i, int c, int k) const {
        const unsigned parent = first + static_cast<unsigned>(column_of(i));
        return parent < families_.n_cubes && k < n_ ? families_.children[parent][c]
                                                    : CubeFamilies::none;
    }

    __device__ void load(unsigned first, int chunk, Children& children) const {
        children.load(task_.locals, n_, coefficient_of(chunk), families_, first, column_of);
    }

    /// Loads the parents' coefficients, class by class, and zeros up to whole pieces and columns.
    __device__ void load_parents(unsigned first) const {
        const int warp = static_cast<int>(threadIdx.x / warp_lanes);
        const int lane = static_cast<int>(threadIdx.x % warp_lanes);
        for (int column = warp; column < cube_columns; column += CubeClasses::n_classes) {
            for (int k = lane; k < n_; k += loads_at_once * warp_lanes) {
                load_parent(first, column, k);
            }
        }
        const int end = members(warp, task_.args.order);
        const auto& classes = constant_table<CubeClasses>();
        for (int row = classes.below(warp, task_.args.order); row < end; ++row) {
            if (lane < cube_columns) {
                parents(warp).at(row, lane) = 0;
            }
        }
    }

    /// Loads every 32nd coefficient of a column from `k` on, by loads that wait together.
    __device__ void load_parent(unsigned first, int column, int k) const {
        const auto& classes = constant_table<CubeClasses>();
        const unsigned parent = first + static_cast<unsigned>(column);
        const bool exists = parent < families_.n_cubes;
        const std::size_t box = exists ? families_.parents[parent] : 0;
        const double excess = exists ? -families_.parent_excess[parent] : 0.0;
        Real values[loads_at_once];
#pragma unroll
        for (int i = 0; i < loads_at_once; ++i) {
            const int at = k + i * warp_lanes;
            values[i] = exists && at < n_ ? task_.locals[box * n_ + at] : Real(0);
        }
#pragma unroll
        for (int i = 0; i < loads_at_once; ++i) {
            const int at = k + i * warp_lanes;
            if (at < n_) {
                parents(classes.class_of(at)).at(classes.place(at), column) =
                    excess_factor(classes, at, excess) * static_cast<double>(values[i]);
            }
        }
    }

    /// Sums up a chunk of the warp's class.
    __device__ void sum_up(int chunk, int chunks, Complex<double> (&sums)[tiles][2]) const {
        const int warp = static_cast<int>(threadIdx.x / warp_lanes);
        const std::uint32_t* range = launch_.pieces.begin + warp * (chunks + 1) + chunk;
        const std::uint32_t begin = range[0];
        const int steps = static_cast<int>(range[1] - begin) / tiles;
        const int end = members(warp, task_.args.order);
        const CubeRows rows = parents(warp);
        CubePair next[tiles];
        load(begin, steps > 0, next);
#pragma unroll 2
        for (int step = 0; step < steps; ++step) {
            CubePair now[tiles];
#pragma unroll
            for (int tile = 0; tile < tiles; ++tile) {
                now[tile] = next[tile];
            }
            load(begin + (step + 1) * tiles, step + 1 < steps, next);
            Complex<double> x[2];
            rows.load(end - (steps - step) * cube_piece, x);
#pragma unroll
            for (int tile = 0; tile < tiles; ++tile) {
                multiply_add(x, now[tile].first, now[tile].second, sums[tile][0], sums[tile][1]);
            }
        }
    }

    __device__ void load(std::uint32_t first, bool is_wanted, CubePair (&out)[tiles]) const {
#pragma unroll
        for (int tile = 0; tile < tiles; ++tile) {
            out[tile] = load_piece(launch_.pieces.pairs, first + tile, is_wanted);
        }
    }

    __device__ void store(int buffer, const Complex<double> (&sums)[tiles][2]) const {
        const CubeRows rows = sums_of(buffer, static_cast<int>(threadIdx.x / warp_lanes));
        const int lane = static_cast<int>(threadIdx.x % warp_lanes);
#pragma unroll
        for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int row = cube_piece * tile + lane % 4 * 2 + i;
                rows.at(row, lane / 4) = sums[tile][i].re;
                rows.at(row, lane / 4 + 8) = sums[tile][i].im;
            }
        }
    }

    /// Combines a chunk's sums for the children, neighbouring coefficients a lane.
    /// \param children  what the children have
    __device__ void add(unsigned first, int chunk, int buffer, const Children& children) const {
        const auto& classes = constant_table<CubeClasses>();
        const int row = static_cast<int>(threadIdx.x % chunk_columns);
        const int k = coefficient_of(chunk);
        const int own_class = classes.class_of(min(k, n_ - 1));
#pragma unroll
        for (int i = 0; i < lane_columns; ++i) {
            double sums[8];
#pragma unroll
            for (int s = 0; s < 8; ++s) {
                sums[s] = sums_of(buffer, s ^ own_class).at(row, column_of(i));
            }
            combine_mirrored(sums);
#pragma unroll
            for (int c = 0; c < 8; ++c) {
                const std::uint32_t box = child(first, i, c, k);
                if (box != CubeFamilies::none) {
                    const double excess = families_.child_excess[first + column_of(i)][c];
                    const double factor = excess_factor(classes, k, excess);
                    const auto before = static_cast<double>(children.of[i][c]);
                    task_.locals[std::size_t(box) * n_ + k] =
                        static_cast<Real>(fma(factor, sums[c], before));
                }
            }
        }
    }

    const Task& task_;
    int n_;
    const CubeLaunch& launch_;
    const CubeFamilies& families_;
};

} // namespace starfmm
