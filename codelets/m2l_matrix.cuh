// SPDX-License-Identifier: BSD-3-Clause
// Laurent2D's own M2L in double precision: one row a warp; eight far boxes at a time, sorted by the
// terms that they need, go through the FP64 matrix units.
#pragma once

#include "codelets/m2l.hpp"
#include "codelets/matrix_translation.cuh"

#include <bit>
#include <concepts>

namespace starfmm {

/// Kernels whose M2L is Laurent2D's, in double: not those that replace it.
template <class K>
constexpr bool has_laurent_m2l() {
    if constexpr (std::same_as<typename K::Real, double> && requires { K::m2l_first_column; }) {
        using Base = Laurent2D<double, K::m2l_first_column == 0>;
        return &K::template m2l_truncated<double> == &Base::template m2l_truncated<double>;
    } else {
        return false;
    }
}

template <class K>
struct M2LMatrix {
    static constexpr int first_column = K::m2l_first_column;

    __device__ static double entry(int l, int k) { return K::m2l_entry(l, k); }

    __device__ static constexpr bool used(int /*row_piece*/, int /*column_piece*/) { return true; }

    /// Column pieces that hold the columns up to `order`.
    __device__ static int columns(int order) { return (order - first_column) / 4 + 1; }
};

/// A far box as one lane prepares it and others read it from shared memory. 48 bytes: eight of them
/// lie in different banks. (Powers of the factors beside them took 6 % longer than forming them
/// again: reading shared memory is nearly as scarce as the matrix units.)
struct alignas(16) FarBox {
    Complex<double> outgoing;
    Complex<double> incoming;
    const Complex<double>* multipole;
    int terms;
};

/// The far boxes of one row, a warp's number at a time, most columns first.
template <class K, int P>
class FarQueue {
public:
    using Matrix = M2LMatrix<K>;
    static constexpr int capacity = warp_lanes;

    __device__ FarQueue(const M2LTask<K>& task, int n, FarBox* room)
        : task_(task), n_(n), room_(room) {}

    /// Prepares the entries [begin, end) of the far list of a row, at least one, at most
    /// `capacity`.
    __device__ void
    fill(int level, const Frame<double>& target, std::uint32_t begin, std::uint32_t end) {
        const unsigned lane = threadIdx.x % warp_lanes;
        const bool mine = begin + lane < end;
        const BoxReference reference = task_.far().boxes[mine ? begin + lane : begin];
        const std::uint32_t slot = task_.slot(level, reference);
        const std::size_t box = task_.source_box(level, reference);
        const Frame<double> source = task_.sources[slot].frame(box);
        const TruncationOrders orders(task_.args.theta, task_.args.order);
        const int terms = orders.order(source, target);
        const unsigned position = rank(mine ? Matrix::columns(terms) : 0);
        const auto factors = K::m2l_factors(source, target);
        const Complex<double>* multipole = task_.multipoles[slot] + box * n_;
        __syncwarp();
        if (mine) {
            room_[position] = {factors.outgoing, factors.incoming, multipole, terms};
            if constexpr (Matrix::first_column == 0) {
                logarithms_ += factors.log_distance * load_coefficient(multipole);
            }
        }
        size_ = static_cast<int>(end - begin);
        __syncwarp();
    }

    __device__ int size() const { return size_; }

    const __device__ FarBox& operator[](int i) const { return room_[i < size_ ? i : size_ - 1]; }

    /// Terms that box `i` needs; negative where there is none.
    __device__ int terms(int i) const { return i < size_ ? room_[i].terms : -1; }

    /// The lane's part of sum log|d| a_0 over all boxes so far.
    __device__ Complex<double> logarithms() const { return logarithms_; }

private:
    /// Place of the lane's key among the warp's, the largest first.
    __device__ static unsigned rank(unsigned key) {
        constexpr int bits = std::bit_width(unsigned(MatrixPieces<Matrix, P>::column_pieces));
        unsigned larger = 0;
        unsigned equal = ~0U;
#pragma unroll
        for (int bit = bits - 1; bit >= 0; --bit) {
            const bool one = (key >> bit & 1U) != 0;
            const unsigned ones = __ballot_sync(0xffffffffU, one);
            larger |= one ? 0 : equal & ones;
            equal &= one ? ones : ~ones;
        }
        return __popc(larger | (equal & ((1U << threadIdx.x % warp_lanes) - 1)));
    }

    const M2LTask<K>& task_;
    int n_;
    FarBox* room_;
    int size_ = 0;
    Complex<double> logarithms_{0.0, 0.0};
};

/// Eight far boxes at a time into a row.
template <class K, int P>
class MatrixM2L {
public:
    using Matrix = M2LMatrix<K>;
    using Pieces = MatrixPieces<Matrix, P>;

    __device__ explicit MatrixM2L(const Pieces& pieces) : pieces_(pieces) {}

    /// \param terms that the lane's box needs; negative: no box
    /// \param needed most column pieces of the eight: code without branches for each number
    template <int columns = 1>
    __device__ void translate(const FarBox& far, int terms, int needed) {
        if constexpr (columns < Pieces::column_pieces) {
            if (needed > columns) {
                return translate<columns + 1>(far, terms, needed);
            }
        }
        translate_columns<columns>(far, terms);
    }

    /// Calls `put(l, coefficient)` for each l < n in one lane of the warp.
    /// \param logarithms the lane's further part of coefficient 0
    template <class Put>
    __device__ void reduce(int n, Complex<double> logarithms, const Put& put) {
        const Complex<double> first = sum_lanes<warp_lanes>(first_ + logarithms);
        if (threadIdx.x % warp_lanes == 0) {
            put(0, first);
        }
        const RowPart part = scatter_sums<n_sums, 16, box_lanes>(sum_, n_sums);
#pragma unroll
        for (int i = 0; i < (n_sums + octet_boxes - 1) / octet_boxes; ++i) {
            const int l = row_of(part.first + i);
            if (i < part.size && l < n) {
                put(l, sum_[i]);
            }
        }
    }

private:
    static constexpr int n_sums = 2 * Pieces::row_pieces;

    template <int columns>
    __device__ void translate_columns(const FarBox& far, int terms) {
        constexpr int highest = 4 * columns + Matrix::first_column - 1;
        constexpr int rows = highest < P ? (highest + 7) / 8 : P / 8;
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

inline constexpr int matrix_m2l_threads = 128;

inline constexpr unsigned matrix_m2l_warps = matrix_m2l_threads / warp_lanes;

/// Blocks a multiprocessor, up to order 24: 128 registers a thread.
inline constexpr unsigned matrix_m2l_blocks = 4;

/// Rows a warp, one after the other: they share the loading of the matrix, and more would leave
/// multiprocessors idle at the end.
inline unsigned matrix_m2l_rows(std::size_t n_rows) {
    const std::size_t turn = matrix_m2l_blocks * matrix_m2l_warps * n_multiprocessors();
    const std::size_t rows = n_rows / (5 * turn);
    return rows < 1 ? 1U : rows > 4 ? 4U : static_cast<unsigned>(rows);
}

/// The warps of a block take siblings at the same time, which share most of their far boxes, and so
/// the first cache.
template <class K, int P>
__global__ void __launch_bounds__(matrix_m2l_threads, P <= 24 ? matrix_m2l_blocks : 1)
    matrix_m2l_kernel(const __grid_constant__ M2LTask<K> task, int n, unsigned rows) {
    constexpr std::size_t n_warps = matrix_m2l_warps;
    using Pieces = MatrixPieces<M2LMatrix<K>, P>;
    extern __shared__ double shared_pieces[];
    __shared__ FarBox rooms[n_warps][FarQueue<K, P>::capacity];
    Pieces::fill(shared_pieces);
    __syncthreads();
    const Pieces pieces(shared_pieces);
    const ListView far = task.far();
    const std::size_t warp = threadIdx.x / warp_lanes;
    const std::size_t first = blockIdx.x * n_warps * rows + warp;
    for (std::size_t row = first; row < first + n_warps * rows; row += n_warps) {
        if (row >= task.args.tree.total_boxes()) {
            break;
        }
        FarQueue<K, P> queue(task, n, rooms[warp]);
        MatrixM2L<K, P> translation(pieces);
        const int level = level_of(task.args.tree, row);
        const Frame<double> target = task.boxes.frame(row);
        const std::uint32_t end = far.offsets[row + 1];
        for (std::uint32_t begin = far.offsets[row]; begin < end; begin += queue.capacity) {
            queue.fill(level, target, begin, min(end, begin + queue.capacity));
            for (int first = 0; first < queue.size(); first += octet_boxes) {
                const int own = first + threadIdx.x % warp_lanes / box_lanes;
                const int needed = M2LMatrix<K>::columns(queue.terms(first));
                translation.translate(queue[own], queue.terms(own), needed);
            }
        }
        translation.reduce(n, queue.logarithms(), [&](int l, const Complex<double>& value) {
            task.locals[row * n + l] = value;
        });
    }
}

} // namespace starfmm
