// SPDX-License-Identifier: BSD-3-Clause
// Laurent2D's own M2L on the FP64 matrix units: a warp has one row, and takes eight far boxes at a
// time, sorted by the terms that they need. Single precision is double on the way in and out.
#pragma once

#include "codelets/cuda/equal_shares.cuh"
#include "codelets/expansions/laurent2d/m2l_far.cuh"

#include <algorithm>
#include <concepts>

namespace starfmm {

/// Whether a kernel's M2L is Laurent2D's; it is not if the kernel replaces it.
template <class K, class Real = typename K::Real>
inline constexpr bool has_laurent_m2l = requires {
    requires(&K::template m2l_truncated<Real> == &LaurentOf<K>::template m2l_truncated<Real>);
};

/// The lowest order that goes through the matrix units: in single precision up to 16 terms stay in
/// a lane's registers, and take less time there.
template <class Real>
inline constexpr int least_matrix_order = std::same_as<Real, double> ? 0 : 17;

/// The sums in which the lanes of eight boxes add up their results: as many rows as there are
/// boxes.
class OctetSums {
public:
    static constexpr int rows = octet_boxes;

    /// Puts the lane's part of row `i`.
    __device__ void put(int i, const Complex<double>& part) {
        parts_[i][threadIdx.x % warp_lanes] = part;
    }

    /// Returns the sum over the boxes of row lane / box_lanes, for the lane's place lane %
    /// box_lanes in each box.
    __device__ Complex<double> of_lane() const {
        const unsigned lane = threadIdx.x % warp_lanes;
        const Complex<double>* row = parts_[lane / box_lanes] + lane % box_lanes;
        Complex<double> sum = row[0];
#pragma unroll
        for (int box = 1; box < octet_boxes; ++box) {
            sum += row[box * box_lanes];
        }
        return sum;
    }

private:
    /// The parts. Rows end with as much room as a box's lanes take, so that lanes of two rows read
    /// from different banks.
    Complex<double> parts_[rows][warp_lanes + box_lanes];
};

/// A warp's room in shared memory: far boxes of a row, and at its end the sums.
template <class Real>
union FarRoom {
    FarBox<Real> boxes[warp_lanes];
    OctetSums sums;
};

/// The sum of M2L into a row, eight far boxes at a time.
template <class K, int P>
class MatrixM2L {
public:
    using Far = FarBox<typename K::Real>;
    using Matrix = M2LMatrix<K>;
    using Pieces = MatrixPieces<Matrix, P>;

    __device__ explicit MatrixM2L(const Pieces& pieces) : pieces_(pieces) {}

    /// Adds eight boxes.
    /// \param far  the lane's box of the eight
    /// \param needed  most column pieces of the eight: each number has code without branches
    template <int columns = 1>
    __device__ void translate(const Far& far, int needed) {
        if constexpr (columns < Pieces::column_pieces) {
            if (needed > columns) {
                return translate<columns + 1>(far, needed);
            }
        }
        translate_columns<columns>(far);
    }

    /// Calls `put(l, coefficient)` for each l < n in one lane of the warp.
    /// \param logarithms the lane's further part of coefficient 0
    template <class Put>
    __device__ void reduce(int n, Complex<double> logarithms, OctetSums& sums, const Put& put) {
        first_ += logarithms;
#pragma unroll
        for (int begin = 0; begin <= n_sums; begin += OctetSums::rows) {
            __syncwarp();
#pragma unroll
            for (int i = begin; i <= n_sums && i < begin + OctetSums::rows; ++i) {
                sums.put(i - begin, i < n_sums ? sum_[i] : first_);
            }
            __syncwarp();
            const int i = begin + static_cast<int>(threadIdx.x) % warp_lanes / box_lanes;
            const Complex<double> sum = sums.of_lane();
            if (i < n_sums && row_of(i) < n) {
                put(row_of(i), sum);
            }
            if (begin + OctetSums::rows > n_sums) {
                const Complex<double> first = sum_lanes<box_lanes>(sum);
                if (i == n_sums && threadIdx.x % box_lanes == 0) {
                    put(0, first);
                }
            }
        }
        __syncwarp();
    }

private:
    static constexpr int n_sums = 2 * Pieces::row_pieces;

    template <int columns>
    __device__ void translate_columns(const Far& far) {
        constexpr int highest = 4 * columns + Matrix::first_column - 1;
        constexpr int rows = highest < P ? (highest + 7) / 8 : P / 8;
        const int terms = far.terms;
        Complex<double> scaled[columns];
        __builtin_assume(__isGlobal(far.multipole));
        scale_columns<Matrix::first_column>(far.multipole, terms, far.outgoing, scaled);
        if (Matrix::first_column == 1 || threadIdx.x % 4 > 0) {
            first_ += scaled[0];
        }
#pragma unroll
        for (int j = 1; j < columns; ++j) {
            first_ += scaled[j];
        }
        Complex<double> product[2 * rows] = {};
        pieces_.multiply(scaled, product);
        visit_rows<2 * rows>(far.incoming, [&](int i, int l, Complex<double> power) {
            if (l <= terms) {
                sum_[i] = fused(power, product[i], sum_[i]);
            }
        });
    }

    const Pieces& pieces_;
    Complex<double> first_{0.0, 0.0}; ///< the lane's part of coefficient 0
    Complex<double> sum_[n_sums] = {};
};

/// The threads of a block, of which a multiprocessor has one: 512 threads have 128 registers each,
/// enough up to order 24, and half as many have twice as much.
template <int P>
inline constexpr int matrix_m2l_threads = P <= 24 ? 512 : 256;

/// The bytes of shared memory of a block: the matrix, and its warps' rooms.
template <class K, int P>
inline constexpr std::size_t matrix_m2l_bytes = MatrixPieces<M2LMatrix<K>, P>::n_bytes +
                                                matrix_m2l_threads<P> / warp_lanes *
                                                    sizeof(FarRoom<typename K::Real>);

/// The cost of a row besides its entries, in entries.
inline constexpr std::uint64_t far_row_cost = 10;

/// Adds the far boxes of the stream's next row to the row of locals.
template <class K, int P>
__device__ void translate_row(
    const M2LTask<K>& task,
    int n,
    const MatrixPieces<M2LMatrix<K>, P>& pieces,
    FarStream& stream,
    FarRoom<typename K::Real>& room
) {
    const unsigned row = stream.row();
    FarQueue<K, P> queue(task, n, row, room.boxes);
    MatrixM2L<K, P> translation(pieces);
    do {
        queue.fill(stream);
        for (int first = 0; first < queue.size(); first += octet_boxes) {
            const int own = first + threadIdx.x % warp_lanes / box_lanes;
            translation.translate(queue[own], queue[first].columns);
        }
    } while (stream.row() == row);
    translation.reduce(n, queue.logarithms(), room.sums, [&](int l, const Complex<double>& value) {
        task.locals[std::size_t(row) * n + l] = to_real<typename K::Real>(value);
    });
}

/// Runs M2L: each block takes rows of about the same cost, one a warp at a time.
template <class K, int P>
__global__ void __launch_bounds__(matrix_m2l_threads<P>, 1)
    matrix_m2l_kernel(const __grid_constant__ M2LTask<K> task, int n) {
    using Pieces = MatrixPieces<M2LMatrix<K>, P>;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    auto* shared_pieces = reinterpret_cast<double*>(shared_bytes);
    auto* rooms = reinterpret_cast<FarRoom<typename K::Real>*>(shared_bytes + Pieces::n_bytes);
    __shared__ unsigned range[2];
    const unsigned warp = threadIdx.x / warp_lanes;
    const ListView far = task.far();
    if (warp < 2) {
        const std::size_t n_rows = n_boxes_of<2>(task.args);
        const Share share{blockIdx.x + warp, gridDim.x};
        range[warp] = static_cast<unsigned>(share_begin(far.offsets, n_rows, far_row_cost, share));
    }
    Pieces::fill(shared_pieces);
    __syncthreads();
    const Pieces pieces(shared_pieces);
    FarStream stream(far, range, range[1]);
    while (!stream.ended()) {
        translate_row<K, P>(task, n, pieces, stream, rooms[warp]);
    }
}

template <class K>
void matrix_m2l(const M2LTask<K>& task, int n) {
    with_matrix_order<least_matrix_order<typename K::Real>>(task.args.order, [&](auto order) {
        constexpr int threads = matrix_m2l_threads<order()>;
        constexpr std::size_t bytes = matrix_m2l_bytes<K, order()>;
        const auto kernel = matrix_m2l_kernel<K, order()>;
        allow_shared_bytes(kernel, bytes);
        const unsigned resident = resident_blocks(kernel, threads, bytes);
        const unsigned blocks = std::min(resident, n_blocks(n_boxes_of<2>(task.args), 1));
        kernel<<<blocks, threads, bytes, cuda_stream()>>>(task, n);
    });
    check_cuda(cudaGetLastError(), "launch of matrix_m2l_kernel");
}

} // namespace starfmm
