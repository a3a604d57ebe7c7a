// SPDX-License-Identifier: BSD-3-Clause
// Translations along z: coefficients of one m, whose degrees one lane holds, times a matrix that,
// between the weights of AxialWeights, is the same for all m.
#pragma once

#include "codelets/expansions/solid3d/octet_turns.cuh"

namespace starfmm {

/// A lane's coefficients by columns, one for each part and round, of the degrees that the round has
/// a part in. The first column is free: each translated column takes the place of the one before
/// it.
/// \tparam stride  distance of a column's entries: warp_lanes in shared memory, 1 in a lane's own
template <int stride>
class LaneColumns {
public:
    /// Returns the number of a lane's entries.
    STARFMM_HOST_DEVICE static constexpr int size(int order) {
        const int rounds = rounds_of(order - 1);
        return begin(order, rounds, 0);
    }

    __device__ LaneColumns(double* entries, int order) : entries_(entries), order_(order) {}

    /// Returns the number of degrees of a column of a round, whose first degree is 8 round.
    [[nodiscard]] __device__ int length(int round) const { return order_ - 8 * round; }

    [[nodiscard]] __device__ double* column(int round, int part) const {
        return entries_ + begin(order_, round, part) * stride;
    }

    /// Returns where a column lies after its translation.
    [[nodiscard]] __device__ double* translated(int round, int part) const {
        if (part > 0) {
            return column(round, part - 1);
        }
        return round > 0 ? column(round - 1, n_parts - 1) : entries_;
    }

private:
    STARFMM_HOST_DEVICE static constexpr int begin(int order, int round, int part) {
        const int rounds_before = n_parts * (round * order - 4 * round * (round - 1));
        return order + rounds_before + part * (order - 8 * round);
    }

    double* entries_;
    int order_;
};

/// The factors of a tile of a matrix, which lie on its diagonals or its antidiagonals.
inline constexpr int tile_size = 8;
inline constexpr int tile_factors = 2 * tile_size - 1;

/// The matrix (n + j)!.
class HankelMatrix {
public:
    static constexpr int index(int row, int column) { return row + column; }

    __device__ explicit HankelMatrix(int first_degree) : first_(2 * first_degree) {}

    /// Returns the first column of a tile's row that is not zero; end() is behind the last.
    [[nodiscard]] __device__ int begin(int /*row*/) const { return 0; }

    [[nodiscard]] __device__ int end(int /*row*/, int length) const { return length; }

    __device__ void load(int row, int column, double (&factors)[tile_factors]) const {
#pragma unroll
        for (int i = 0; i < tile_factors; ++i) {
            factors[i] = detail::factorials.entry[first_ + row + column + i];
        }
    }

private:
    int first_;
};

/// The numbers d^k / k! for the quads' distances d, k < order, which a warp keeps in shared memory.
class ShiftPowers {
public:
    /// Returns the number of entries. Zeros before and behind the powers serve tiles on the edge.
    STARFMM_HOST_DEVICE static constexpr int size(int order) {
        return octet_boxes3 * (order + 2 * tile_size);
    }

    __device__ explicit ShiftPowers(double* entries)
        : entries_(entries + threadIdx.x % warp_lanes / quad_lanes) {}

    __device__ void set(double distance, int order) const {
        __syncwarp();
        if (threadIdx.x % quad_lanes == 0) {
            for (int i = 0; i < tile_size; ++i) {
                entries_[i * octet_boxes3] = 0;
                entries_[(tile_size + order + i) * octet_boxes3] = 0;
            }
            double power = 1;
            for (int k = 0; k < order; ++k) {
                entries_[(tile_size + k) * octet_boxes3] = power;
                power *= distance / (k + 1);
            }
        }
        __syncwarp();
    }

    /// Returns the entry of k > -tile_size.
    __device__ double operator[](int k) const { return entries_[(tile_size + k) * octet_boxes3]; }

private:
    double* entries_;
};

/// The matrix d^(n-j) / (n-j)! in row n and column j, zero above the diagonal; or its transpose.
template <bool is_transposed>
class ToeplitzMatrix {
public:
    static constexpr int index(int row, int column) {
        return tile_size - 1 + (is_transposed ? column - row : row - column);
    }

    __device__ explicit ToeplitzMatrix(const ShiftPowers& powers) : powers_(powers) {}

    [[nodiscard]] __device__ int begin(int row) const { return is_transposed ? row : 0; }

    [[nodiscard]] __device__ int end(int row, int length) const {
        return is_transposed ? length : row + 1;
    }

    __device__ void load(int row, int column, double (&factors)[tile_factors]) const {
        const int first = (is_transposed ? column - row : row - column) - (tile_size - 1);
#pragma unroll
        for (int i = 0; i < tile_factors; ++i) {
            factors[i] = powers_[first + i];
        }
    }

private:
    const ShiftPowers& powers_;
};

/// Sets out = matrix x for one column.
template <int stride, class Matrix>
__device__ void multiply_column(int length, const Matrix& matrix, const double* x, double* out) {
#pragma unroll 1
    for (int row = 0; row < length; row += tile_size) {
        double sum[tile_size] = {};
        const int end = matrix.end(row, length);
#pragma unroll 1
        for (int column = matrix.begin(row); column < end; column += tile_size) {
            double factors[tile_factors];
            matrix.load(row, column, factors);
#pragma unroll
            for (int j = 0; j < tile_size; ++j) {
                const double value = column + j < length ? x[(column + j) * stride] : 0.0;
#pragma unroll
                for (int i = 0; i < tile_size; ++i) {
                    sum[i] = fma(factors[Matrix::index(i, j)], value, sum[i]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < tile_size; ++i) {
            if (row + i < length) {
                out[(row + i) * stride] = sum[i];
            }
        }
    }
}

} // namespace starfmm
