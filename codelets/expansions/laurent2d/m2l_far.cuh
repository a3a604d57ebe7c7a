// SPDX-License-Identifier: BSD-3-Clause
// Far boxes as M2L on the matrix units needs them: streamed, prepared and sorted by a warp.
#pragma once

#include "codelets/expansions/laurent2d/matrix_translation.cuh"
#include "codelets/expansions/m2l.hpp"

#include <bit>

namespace starfmm {

template <class K>
struct M2LMatrix {
    static constexpr int first_column = K::m2l_first_column;

    __device__ static double entry(int l, int k) { return K::m2l_entry(l, k); }

    __device__ static constexpr bool used(int /*row_piece*/, int /*column_piece*/) { return true; }

    /// Returns the number of column pieces that hold the columns up to `order`.
    __device__ static int columns(int order) { return (order - first_column) / 4 + 1; }
};

/// A far box as one lane prepares it and others read it from shared memory. A box takes 48 bytes:
/// eight boxes lie in different banks. (Powers of the factors beside them took 6 % longer than
/// forming these again: reading shared memory is nearly as scarce as the matrix units.)
template <class Real>
struct alignas(16) FarBox {
    Complex<double> outgoing;
    Complex<double> incoming;
    const Complex<Real>* multipole;
    int terms;   ///< terms that the pair needs; negative: no box
    int columns; ///< number of column pieces that hold the terms
};

/// The far entries of the rows that a warp claims of its block's range, at most 32 of a row at a
/// time: the next ones are on their way while the warp works on the last. Warps claim siblings at
/// the same time, which share most of their far boxes, and so the first cache.
class FarStream {
public:
    /// Begins a warp's stream.
    /// \param next_row  next row of the block's range, which ends before `end_row`
    __device__ FarStream(const ListView& far, unsigned* next_row, unsigned end_row)
        : far_(far), next_row_(next_row), end_row_(end_row) {
        claim_row();
        load();
    }

    /// Returns the row whose entries are the next ones.
    [[nodiscard]] __device__ unsigned row() const { return row_; }

    [[nodiscard]] __device__ bool ended() const { return row_ >= end_row_; }

    /// Returns how many entries are next: none if the row has none.
    [[nodiscard]] __device__ unsigned size() const { return min(end_ - begin_, warp_lanes); }

    /// Returns the lane's entry; the last one in lanes beyond, and any if there are none.
    [[nodiscard]] __device__ BoxReference entry() const { return entry_; }

    __device__ void advance() {
        begin_ += size();
        if (begin_ == end_) {
            claim_row();
        }
        load();
    }

private:
    __device__ void claim_row() {
        const unsigned claimed = lane() == 0 ? atomicAdd(next_row_, 1U) : 0;
        row_ = from_lane(claimed, 0);
        begin_ = ended() ? 0 : far_.offsets[row_];
        end_ = ended() ? 0 : far_.offsets[row_ + 1];
    }

    __device__ void load() {
        if (size() > 0) {
            entry_ = far_.boxes[min(begin_ + lane(), end_ - 1)];
        }
    }

    __device__ static unsigned lane() { return threadIdx.x % warp_lanes; }

    ListView far_;
    unsigned* next_row_;
    unsigned end_row_;
    unsigned row_ = 0;
    std::uint32_t begin_ = 0;
    std::uint32_t end_ = 0; ///< end of the row
    BoxReference entry_ = 0;
};

/// The far boxes of one row, a warp's number at a time, most columns first.
template <class K, int P>
class FarQueue {
public:
    using Real = typename K::Real;
    using Matrix = M2LMatrix<K>;
    static constexpr int capacity = warp_lanes;

    __device__ FarQueue(const M2LTask<K>& task, int n, unsigned row, FarBox<Real>* room)
        : task_(task), n_(n), room_(room), target_(expansion_frame<Real>(task.boxes, row)) {
        const FarReferences named = task.references(level_of(pyramid_of<2>(task.args), row));
        level_bits_ = named.bits;
        level_begin_ = static_cast<unsigned>(named.begin);
    }

    /// Prepares the next entries of the stream, which are of the queue's row.
    __device__ void fill(FarStream& stream) {
        const BoxReference reference = stream.entry();
        const unsigned slot = reference >> level_bits_;
        const unsigned box = level_begin_ + (reference & ((1U << level_bits_) - 1));
        const Frame<double> source = expansion_frame<Real>(task_.sources[slot], box);
        const Complex<Real>* multipole = task_.multipoles[slot] + std::size_t(box) * n_;
        size_ = static_cast<int>(stream.size());
        const bool mine = static_cast<int>(threadIdx.x % warp_lanes) < size_;
        stream.advance();
        const auto orders = truncation_orders<K>(task_.args);
        const int terms = orders.order(source, target_);
        const int columns = mine ? Matrix::columns(terms) : 0;
        const auto factors = K::m2l_factors(source, target_);
        const unsigned position = rank(columns);
        __syncwarp();
        room_[position] = {
            factors.outgoing, factors.incoming, multipole, mine ? terms : -1, columns};
        if constexpr (Matrix::first_column == 0) {
            if (mine) {
                logarithms_ += factors.log_distance * to_double(load_coefficient(multipole));
            }
        }
        __syncwarp();
    }

    /// Returns the number of boxes prepared.
    __device__ int size() const { return size_; }

    /// Returns a box. The first `size` are of the row, the others up to `capacity` have no terms.
    const __device__ FarBox<Real>& operator[](int i) const { return room_[i]; }

    /// Returns the lane's part of sum log|d| a_0 over all boxes so far.
    __device__ Complex<double> logarithms() const { return logarithms_; }

private:
    /// Returns the place of the lane's key among the warp's, the largest first.
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
    FarBox<Real>* room_;
    Frame<double> target_;
    int level_bits_;       ///< bits of a reference that name the box: the others are the slot's
    unsigned level_begin_; ///< place of the level's first box
    int size_ = 0;
    Complex<double> logarithms_{0.0, 0.0};
};

} // namespace starfmm
