// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of M2L.
//
// Any kernel: one far box a lane, eight lanes a row. Laurent2D's own M2L in double: one row a warp;
// eight far boxes at a time, out of 32 sorted by the terms that they need, go through the FP64
// matrix units, which are twice as fast as the rest.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/m2l.hpp"
#include "core/expansions/laurent2d.hpp"

#include <concepts>

namespace starfmm {

inline constexpr int m2l_threads = 128;
inline constexpr int m2l_lanes = 8; ///< rows of 35 to 40 far boxes take five steps

/// One far box a lane, one row a group of lanes.
template <class K, int P>
__global__ void __launch_bounds__(m2l_threads)
    m2l_kernel(const __grid_constant__ M2LTask<K> task, int n) {
    using Real = typename K::Real;
    const std::size_t index = thread_index() / m2l_lanes;
    const bool active = index < task.args.tree.total_boxes();
    const std::size_t row = active ? index : 0;
    const int level = level_of(task.args.tree, row);
    const ListView far = task.far();
    const Frame<Real> target = task.boxes.frame(row);
    const std::uint32_t end = active ? far.offsets[row + 1] : 0;
    const std::uint32_t begin = active ? far.offsets[row] : 0;
    const TruncationOrders orders(task.args.theta, task.args.order);
    const int order = compiled_order<P>(task.args.order);
    Coefficients<Real, P> sum;
    clear_row<P>(sum, n);
    for (std::uint32_t e = begin + threadIdx.x % m2l_lanes; e < end; e += m2l_lanes) {
        const std::uint32_t slot = task.slot(level, far.boxes[e]);
        const std::size_t source = task.source_box(level, far.boxes[e]);
        const Frame<Real> frame = task.sources[slot].frame(source);
        Coefficients<Real, P> multipole;
        load_row<P>(task.multipoles[slot] + source * n, n, multipole);
        if constexpr (truncates_by_distance<K>()) {
            const auto terms = static_cast<Real>(orders.order(frame, target));
            K::m2l_truncated(order, terms, frame, multipole, target, sum);
        } else {
            K::m2l(order, frame, multipole, target, sum);
        }
    }
    __syncwarp();
    reduce_row<P, m2l_lanes, Real>(sum, n, [&](int k, const Complex<Real>& value) {
        if (active) {
            task.locals[row * n + k] = value;
        }
    });
}

/// Kernels whose M2L is Laurent2D's, in double: not those that replace it.
template <class K>
constexpr bool has_laurent_m2l() {
    using Real = typename K::Real;
    if constexpr (std::same_as<Real, double> && requires { K::m2l_first_column; }) {
        using Base = Laurent2D<Real, K::m2l_first_column == 0>;
        return &K::template m2l_truncated<Real> == &Base::template m2l_truncated<Real>;
    } else {
        return false;
    }
}

/// The constant matrix in pieces of [4 columns][8 rows], one element of each piece a lane.
template <class K, int P>
struct MatrixPieces {
    static constexpr int row_pieces = P / 8 + 1;
    static constexpr int column_pieces = (P - K::m2l_first_column) / 4 + 1;
    static constexpr int n = row_pieces * column_pieces;
    static constexpr std::size_t n_bytes = n * warp_lanes * sizeof(double);

    static constexpr bool in_registers = n <= 24; ///< more stay in shared memory

    __device__ static void fill(double* pieces) {
        for (int i = threadIdx.x; i < n * warp_lanes; i += blockDim.x) {
            const int piece = i / warp_lanes;
            const int row = piece / column_pieces * 8 + i % warp_lanes / 4;
            const int column = K::m2l_first_column + piece % column_pieces * 4 + i % 4;
            pieces[i] = row <= max_order && column <= max_order ? K::m2l_entry(row, column) : 0.0;
        }
    }

    __device__ explicit MatrixPieces(const double* pieces)
        : shared_(pieces + threadIdx.x % warp_lanes) {
        if constexpr (in_registers) {
#pragma unroll
            for (int i = 0; i < n; ++i) {
                own_[i] = shared_[i * warp_lanes];
            }
        }
    }

    __device__ double operator()(int row_piece, int column_piece) const {
        const int i = row_piece * column_pieces + column_piece;
        return in_registers ? own_[i] : shared_[i * warp_lanes];
    }

private:
    const double* shared_;
    double own_[in_registers ? n : 1];
};

/// A far box as its lane prepares it and others receive it.
template <class K>
struct FarBox {
    typename K::template M2LFactors<double> factors;
    const Complex<double>* multipole;

    __device__ FarBox of_lane(int lane) const {
        return {
            {from_lane(factors.outgoing, lane),
             from_lane(factors.incoming, lane),
             K::m2l_first_column == 0 ? from_lane(factors.log_distance, lane) : 0.0},
            from_lane(multipole, lane)};
    }
};

/// Eight far boxes into a row. A lane has elements of columns first_column + 4 j + lane % 4 of one
/// box, and of the row's coefficients l = 8 i + 2 (lane % 4) + {0, 1}, in sum[2 i + {0, 1}].
template <class K, int P>
class MatrixM2L {
public:
    using Pieces = MatrixPieces<K, P>;
    static constexpr int n_sums = 2 * Pieces::row_pieces;
    static constexpr int first_column = K::m2l_first_column;

    __device__ MatrixM2L(int n, const double* pieces) : n_(n), pieces_(pieces) {}

    /// \param terms that the lane's box needs; negative: no box
    /// \param order most terms of the eight: code without branches for each number of pieces
    template <int rows = 1>
    __device__ void translate(const FarBox<K>& far, int terms, int order) {
        if constexpr (rows < Pieces::row_pieces) {
            if (order >= 8 * rows) {
                return translate<rows + 1>(far, terms, order);
            }
        }
        translate_rows<rows>(far, terms);
    }

    /// Calls `put(l, coefficient)` for each l < n in one lane of the warp.
    template <class Put>
    __device__ void reduce(const Put& put) {
        const RowPart part = scatter_sums<n_sums, 16, 4>(sum_, n_sums);
#pragma unroll
        for (int i = 0; i < (n_sums + 7) / 8; ++i) {
            const int element = part.first + i;
            const int l = element / 2 * 8 + 2 * (threadIdx.x % 4) + element % 2;
            if (i < part.size && l < n_) {
                put(l, sum_[i]);
            }
        }
    }

private:
    template <int rows>
    __device__ void translate_rows(const FarBox<K>& far, int terms) {
        constexpr int columns = Pieces::column_pieces < 2 * rows ? Pieces::column_pieces : 2 * rows;
        Complex<double> scaled[columns];
        scale(far, terms, scaled);
        Complex<double> product[rows][2] = {};
#pragma unroll
        for (int j = 0; j < columns; ++j) {
#pragma unroll
            for (int i = 0; i < rows; ++i) {
                multiply_add(scaled[j], pieces_(i, j), product[i]);
            }
        }
        const Complex<double> step = far.factors.incoming;
        const Complex<double> step2 = step * step;
        Complex<double> power = lane_power({1.0, 0.0}, step2);
        const Complex<double> step4 = step2 * step2;
        const Complex<double> step8 = step4 * step4;
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            const int l = 8 * i + 2 * (threadIdx.x % 4);
            if (l <= terms) {
                sum_[2 * i] += power * product[i][0];
            }
            if (l < terms) {
                sum_[2 * i + 1] += (power * step) * product[i][1];
            }
            power = power * step8;
        }
    }

    /// The lane's elements of diag(outgoing^k) a.
    template <int columns>
    __device__ void scale(const FarBox<K>& far, int terms, Complex<double> (&scaled)[columns]) {
#pragma unroll
        for (int j = 0; j < columns; ++j) {
            const int k = first_column + 4 * j + threadIdx.x % 4;
            scaled[j] =
                k <= terms ? load_coefficient(far.multipole + k) : Complex<double>{0.0, 0.0};
        }
        if (first_column == 0 && threadIdx.x % 4 == 0) {
            sum_[0] += far.factors.log_distance * scaled[0];
        }
        const Complex<double> step = far.factors.outgoing;
        const Complex<double> step2 = step * step;
        Complex<double> power =
            lane_power(first_column == 0 ? Complex<double>{1.0, 0.0} : step, step);
        const Complex<double> step4 = step2 * step2;
#pragma unroll
        for (int j = 0; j < columns; ++j) {
            scaled[j] = power * scaled[j];
            power = power * step4;
        }
    }

    /// first * step^(lane % 4)
    __device__ static Complex<double> lane_power(Complex<double> first, Complex<double> step) {
        const Complex<double> odd = choose((threadIdx.x & 1) != 0, first * step, first);
        return choose((threadIdx.x & 2) != 0, odd * (step * step), odd);
    }

    int n_;
    Pieces pieces_;
    Complex<double> sum_[n_sums] = {};
};

/// All far boxes of a row.
template <class K, int P>
__device__ void
translate_row(const M2LTask<K>& task, std::size_t row, MatrixM2L<K, P>& translation, int n) {
    const int level = level_of(task.args.tree, row);
    const ListView far = task.far();
    const Frame<double> target = task.boxes.frame(row);
    const TruncationOrders orders(task.args.theta, task.args.order);
    const unsigned lane = threadIdx.x % warp_lanes;
    for (std::uint32_t begin = far.offsets[row], end = far.offsets[row + 1]; begin < end;
         begin += warp_lanes) {
        const bool mine = begin + lane < end;
        const BoxReference reference = far.boxes[mine ? begin + lane : begin];
        const std::uint32_t slot = task.slot(level, reference);
        const std::size_t box = task.source_box(level, reference);
        const Frame<double> source = task.sources[slot].frame(box);
        const FarBox<K> own{K::m2l_factors(source, target), task.multipoles[slot] + box * n};
        const unsigned order = mine ? orders.order(source, target) : 0;
        const unsigned sorted = sort_lanes(order * warp_lanes + lane);
        for (std::uint32_t first = 0; first < warp_lanes && begin + first < end; first += 8) {
            const int highest = from_lane(sorted, first) / warp_lanes;
            const unsigned key = from_lane(sorted, first + lane / 4);
            const int terms = key < warp_lanes ? -1 : static_cast<int>(key / warp_lanes);
            translation.translate(own.of_lane(key % warp_lanes), terms, highest);
        }
    }
}

/// Rows a warp, one after the other: they share the loading of the matrix. The warps of a block
/// take siblings at the same time, which share most of their far boxes, and so the first cache.
inline constexpr int matrix_m2l_rows = 4;

template <class K, int P>
__global__ void __launch_bounds__(m2l_threads)
    matrix_m2l_kernel(const __grid_constant__ M2LTask<K> task, int n) {
    extern __shared__ double pieces[];
    MatrixPieces<K, P>::fill(pieces);
    __syncthreads();
    constexpr int n_warps = m2l_threads / warp_lanes;
    const std::size_t first = std::size_t(blockIdx.x) * n_warps * matrix_m2l_rows;
    for (int i = 0; i < matrix_m2l_rows; ++i) {
        const std::size_t row = first + i * n_warps + threadIdx.x / warp_lanes;
        if (row < task.args.tree.total_boxes()) {
            MatrixM2L<K, P> translation(n, pieces);
            translate_row<K, P>(task, row, translation, n);
            translation.reduce([&](int l, const Complex<double>& value) {
                task.locals[row * n + l] = value;
            });
        }
    }
}

template <class K>
void m2l_cuda(void* buffers[], void* args) {
    const auto task = M2LTask<K>::unpack(buffers, args);
    const int n = K::n_coefficients(task.args.order);
    const std::size_t n_rows = task.args.tree.total_boxes();
    if constexpr (has_laurent_m2l<K>()) {
        const unsigned blocks = n_blocks(n_rows, m2l_threads / warp_lanes * matrix_m2l_rows);
        with_lowest<7, 15, 19, 23, 39, max_order>(task.args.order, [&](auto order) {
            constexpr std::size_t bytes = MatrixPieces<K, order()>::n_bytes;
            matrix_m2l_kernel<K, order()><<<blocks, m2l_threads, bytes, cuda_stream()>>>(task, n);
        });
    } else {
        const unsigned blocks = n_blocks(n_rows, m2l_threads / m2l_lanes);
        with_order<K>(task.args.order, [&](auto order) {
            m2l_kernel<K, order()><<<blocks, m2l_threads, 0, cuda_stream()>>>(task, n);
        });
    }
    check_cuda(cudaGetLastError(), "launch of m2l_kernel");
}

} // namespace starfmm
