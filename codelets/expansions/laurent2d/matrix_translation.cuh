// SPDX-License-Identifier: BSD-3-Clause
// Translations of Laurent2D on the FP64 matrix units, which are twice as fast as the rest. Each
// translation is diag(incoming^l) A diag(outgoing^k) with a matrix A that all pairs share. A warp
// translates eight boxes at a time, four lanes a box. Coefficients of any precision become double
// on the way in.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/matrix_units.cuh"
#include "core/expansions/laurent2d.hpp"

namespace starfmm {

inline constexpr int octet_boxes = 8; ///< rows of the matrix units' operand, real or imaginary
inline constexpr int box_lanes = warp_lanes / octet_boxes;

/// The Laurent2D of a kernel that has one.
template <class K>
using LaurentOf = Laurent2D<typename K::Real, K::m2l_first_column == 0>;

/// Whether a kernel's M2M and L2L are Laurent2D's; they are not if the kernel replaces them.
template <class K, class Real = typename K::Real>
inline constexpr bool has_laurent_shifts = requires {
    requires(&K::template m2m<Real> == &LaurentOf<K>::template m2m<Real>);
    requires(&K::template l2l<Real> == &LaurentOf<K>::template l2l<Real>);
};

/// The threads of a block: the 64 boxes of a full third level below the block's box are an octet
/// for each of its eight warps.
inline constexpr int shift_threads = 256;

/// Calls `launch` with the lowest compiled order that covers `order`: a multiple of eight, as the
/// pieces' rows are.
/// \tparam least  lowest order that may be asked for
template <int least = 0, class Launch>
void with_matrix_order(int order, const Launch& launch) {
    if constexpr (least > 16) {
        with_lowest<24, 32, 40, 48, max_order>(order, launch);
    } else {
        with_lowest<8, 16, 24, 32, 40, 48, max_order>(order, launch);
    }
}

/// Returns the row of a piece's row `i`: those of a lane's results are four apart, as its columns
/// are.
__device__ inline int piece_row(int piece, int i) {
    return 1 + 8 * piece + 4 * (i % 2) + i / 2;
}

/// The rows l in [1, P] and columns k in [first_column, P] of a matrix, in pieces of [4 columns][8
/// rows], one element of each piece a lane. Row 0 of every translation is simple enough without.
/// \tparam Matrix first_column (0 or 1), entry(l, k), and used(row piece, column piece), which is
/// false for pieces of zeros
template <class Matrix, int P>
class MatrixPieces {
public:
    static constexpr int first_column = Matrix::first_column;
    static constexpr int row_pieces = P / 8;
    static constexpr int column_pieces = P / 4 + (first_column == 0 ? 1 : 0);
    static constexpr int n = row_pieces * column_pieces;
    static constexpr std::size_t n_bytes = n * warp_lanes * sizeof(double);

    __device__ static void fill(double* pieces) {
        for (int i = threadIdx.x; i < n * warp_lanes; i += blockDim.x) {
            const int piece = i / warp_lanes;
            const int row = piece_row(piece / column_pieces, i % warp_lanes / 4);
            const int column = first_column + piece % column_pieces * 4 + i % 4;
            pieces[i] = column <= max_order ? Matrix::entry(row, column) : 0.0;
        }
    }

    __device__ explicit MatrixPieces(const double* pieces)
        : lane_pieces_(pieces + threadIdx.x % warp_lanes) {}

    /// Adds to `product` the matrix's first `sums` / 2 row pieces times the lane's columns
    /// k = first_column + 4 j + lane % 4 of one box; element i of the product is of row_of(i).
    template <int columns, int sums>
    __device__ void
    multiply(const Complex<double> (&scaled)[columns], Complex<double> (&product)[sums]) const {
#pragma unroll
        for (int j = 0; j < columns; j += 2) {
#pragma unroll
            for (int i = 0; i < sums / 2; ++i) {
                multiply_two<columns>(i, j, scaled, product);
            }
        }
    }

private:
    /// Multiplies two columns from `j` on, in one go where both are used.
    template <int columns, int sums>
    __device__ void multiply_two(
        int i, int j, const Complex<double> (&scaled)[columns], Complex<double> (&product)[sums]
    ) const {
        Complex<double>& sum0 = product[2 * i];
        Complex<double>& sum1 = product[2 * i + 1];
        const bool first = Matrix::used(i, j);
        const bool second = j + 1 < columns && Matrix::used(i, j + 1);
        if (first && second) {
            multiply_add(scaled + j, piece(i, j), piece(i, j + 1), sum0, sum1);
        } else if (first) {
            multiply_add(scaled[j], piece(i, j), sum0, sum1);
        } else if (second) {
            multiply_add(scaled[j + 1], piece(i, j + 1), sum0, sum1);
        }
    }

    __device__ double piece(int i, int j) const {
        return lane_pieces_[(i * column_pieces + j) * warp_lanes];
    }

    const double* lane_pieces_;
};

template <class Real>
__device__ Complex<double> to_double(const Complex<Real>& value) {
    return {value.re, value.im};
}

template <class Real>
__device__ Complex<Real> to_real(const Complex<double>& value) {
    return {static_cast<Real>(value.re), static_cast<Real>(value.im)};
}

/// Returns the row of the lane's element `i` of a product.
__device__ inline int row_of(int i) {
    return 1 + 4 * i + threadIdx.x % 4;
}

/// Returns z^(first + lane % 4), given z^2, for first = 0 or 1.
template <int first>
__device__ Complex<double> lane_power(Complex<double> z, Complex<double> z2) {
    if constexpr (first == 1) {
        const Complex<double> low = choose((threadIdx.x & 1) != 0, z2, z);
        return choose((threadIdx.x & 2) != 0, low * z2, low);
    } else {
        const Complex<double> low = choose((threadIdx.x & 1) != 0, z, Complex<double>{1.0, 0.0});
        return choose((threadIdx.x & 2) != 0, low * z2, low);
    }
}

/// Returns a_k, and zero beyond `terms`.
template <class Real>
__device__ Complex<double> load_term(const Complex<Real>* a, int k, int terms) {
    return k <= terms ? to_double(load_coefficient(a + k)) : Complex<double>{0.0, 0.0};
}

/// Returns a b + c in four operations.
__device__ inline Complex<double>
fused(const Complex<double>& a, const Complex<double>& b, const Complex<double>& c) {
    return {fma(a.re, b.re, fma(-a.im, b.im, c.re)), fma(a.re, b.im, fma(a.im, b.re, c.im))};
}

/// Sets the lane's elements k = first_column + 4 j + lane % 4 of diag(outgoing^k) a, which are zero
/// beyond `terms`.
template <int first_column, int columns, class Real>
__device__ void scale_columns(
    const Complex<Real>* a, int terms, Complex<double> outgoing, Complex<double> (&scaled)[columns]
) {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
        scaled[j] = load_term(a, first_column + 4 * j + static_cast<int>(threadIdx.x % 4), terms);
    }
    const Complex<double> step2 = outgoing * outgoing;
    const Complex<double> step4 = step2 * step2;
    Complex<double> power = lane_power<first_column>(outgoing, step2);
#pragma unroll
    for (int j = 0; j < columns; ++j) {
        scaled[j] = power * scaled[j];
        power = power * step4;
    }
}

template <int n>
__device__ Complex<double> sum_of(const Complex<double> (&values)[n]) {
    Complex<double> sum = values[0];
#pragma unroll
    for (int i = 1; i < n; ++i) {
        sum += values[i];
    }
    return sum;
}

/// Calls visit(i, l, incoming^l) for the lane's elements i of a product, l = row_of(i).
template <int sums, class Visit>
__device__ void visit_rows(Complex<double> incoming, const Visit& visit) {
    const Complex<double> step2 = incoming * incoming;
    const Complex<double> step4 = step2 * step2;
    Complex<double> power = lane_power<1>(incoming, step2);
#pragma unroll
    for (int i = 0; i < sums; ++i) {
        visit(i, row_of(i), power);
        power = power * step4;
    }
}

/// Calls visit(box) with each of the warp's eight boxes, in turn, for which its lanes say so.
template <class Visit>
__device__ void visit_boxes(bool wanted, const Visit& visit) {
    constexpr unsigned first_lanes = 0x11111111U;
    for (unsigned rest = __ballot_sync(0xffffffffU, wanted) & first_lanes; rest != 0;
         rest &= rest - 1) {
        visit((__ffs(rest) - 1) / box_lanes);
    }
}

/// Calls visit(l) for l < n, one l a lane.
template <class Visit>
__device__ void visit_coefficients(int n, const Visit& visit) {
    for (int l = threadIdx.x % warp_lanes; l < n; l += warp_lanes) {
        visit(l);
    }
}

} // namespace starfmm
