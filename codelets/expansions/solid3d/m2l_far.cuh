// SPDX-License-Identifier: BSD-3-Clause
// The far boxes of a row as M2L of solid harmonics needs them: sorted and prepared by a warp.
#pragma once

#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/solid3d/exchange_pieces.cuh"
#include "core/expansions/solid_harmonics3d.hpp"

namespace starfmm {

/// A far box as one lane prepares it and a quad reads it from shared memory.
template <class Real>
struct SolidFarBox {
    SolidTurns<double> turns;
    double outgoing; ///< radius of the source over the distance
    double incoming; ///< radius of the target over the distance
    const Real* multipole;
    int terms; ///< terms that the pair needs; 0: no box
};

/// The most far boxes of a row that are sorted at once.
inline constexpr int far_chunk = 256;

/// A warp's far boxes in shared memory.
template <class Real>
struct SolidFarRoom {
    SolidFarBox<Real> boxes[warp_lanes];
    BoxReference references[far_chunk];
    std::uint8_t terms[far_chunk];
    std::uint8_t sorted[far_chunk]; ///< indices, most terms first
    int next[max_degrees + 1];      ///< where boxes of so many terms go
};

/// A chunk of a row's far boxes.
template <class K>
class SolidFarRow {
public:
    using Real = typename K::Real;
    using Room = SolidFarRoom<Real>;

    __device__ SolidFarRow(const M2LTask<K>& task, int n, std::size_t row, Room& room)
        : task_(task), n_(n), room_(room), target_(expansion_frame<Real>(task.boxes, row)),
          named_(task.references(level_of(pyramid_of<3>(task.args), row))) {}

    /// Reads entries, and sorts them by the terms that they need.
    __device__ void read(const BoxReference* entries, int size) {
        const auto orders = truncation_orders<K>(task_.args);
        size_ = size;
        __syncwarp();
        for (int k = lane(); k <= max_degrees; k += warp_lanes) {
            room_.next[k] = 0;
        }
        __syncwarp();
        for (int i = lane(); i < size; i += warp_lanes) {
            room_.references[i] = entries[i];
            const int terms = orders.order(frame(entries[i]), target_);
            room_.terms[i] = static_cast<std::uint8_t>(terms);
            atomicAdd(room_.next + terms, 1);
        }
        __syncwarp();
        if (lane() == 0) {
            int begin = 0;
            for (int k = task_.args.order; k > 0; --k) {
                const int count = room_.next[k];
                room_.next[k] = begin;
                begin += count;
            }
        }
        __syncwarp();
        sort();
    }

    [[nodiscard]] __device__ int size() const { return size_; }

    /// Returns the number of terms of a box in sorted order.
    [[nodiscard]] __device__ int terms(int i) const { return room_.terms[room_.sorted[i]]; }

    /// Prepares the next boxes from `first` on in sorted order, one a lane.
    __device__ void prepare(int first) {
        const bool exists = first + lane() < size_;
        const int i = room_.sorted[exists ? first + lane() : first];
        const BoxReference reference = room_.references[i];
        const Frame<double, 3> source = frame(reference);
        const SolidTurns<double> turns(target_.centre - source.centre);
        __syncwarp();
        room_.boxes[lane()] = {
            turns,
            source.radius * turns.inverse,
            target_.radius * turns.inverse,
            task_.multipoles[named_.slot(reference)] + named_.box(reference) * n_,
            exists ? room_.terms[i] : 0};
        __syncwarp();
    }

    /// Returns the quad's box of the octet `octet` of the boxes prepared.
    [[nodiscard]] const __device__ SolidFarBox<Real>& quad_box(int octet) const {
        return room_.boxes[octet * octet_boxes3 + lane() / quad_lanes];
    }

private:
    __device__ static int lane() { return static_cast<int>(threadIdx.x % warp_lanes); }

    __device__ Frame<double, 3> frame(BoxReference reference) const {
        return expansion_frame<Real>(task_.sources[named_.slot(reference)], named_.box(reference));
    }

    /// Sorts in the same order each time, as atomic operations would not.
    __device__ void sort() {
        for (int first = 0; first < size_; first += warp_lanes) {
            const int i = first + lane();
            const int terms = i < size_ ? room_.terms[i] : 0;
            const unsigned same = __match_any_sync(0xffffffffU, terms);
            const int before = __popc(same & ((1U << lane()) - 1));
            const int place = room_.next[terms] + before;
            __syncwarp();
            if (i < size_) {
                room_.sorted[place] = static_cast<std::uint8_t>(i);
                if (before == 0) {
                    room_.next[terms] = place + __popc(same);
                }
            }
            __syncwarp();
        }
    }

    const M2LTask<K>& task_;
    int n_;
    Room& room_;
    Frame<double, 3> target_;
    FarReferences named_;
    int size_ = 0;
};

} // namespace starfmm
