// SPDX-License-Identifier: BSD-3-Clause
// Arrays that M2L by plane waves keeps of one task besides the waves: who sends to whom.
//
// Source boxes are numbered slot by slot. The waves of the first slot's boxes lie in rows of their
// numbers. Of the other slots' boxes only those in lists are heard: their waves lie in the rows
// behind, one after the other as they are found. Boxes that find no row left send none.
#pragma once

#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/solid3d/wave_neighbours.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The children of one parent that get waves.
struct WaveFamily {
    std::uint32_t first;    ///< index of the first among the targets of waves
    std::uint8_t target[8]; ///< target of each octant, from the first; or no_octant
};

/// A source box.
struct SlotBox {
    std::uint32_t slot;
    std::uint32_t box;
};

/// The numbers of what a task has found.
struct WaveCounts {
    std::uint32_t families;
    std::uint32_t targets;
    std::uint32_t foreign; ///< boxes of other slots in lists, more than have rows perhaps
};

/// The arrays of all lists, in a task's own memory.
struct WaveArrays {
    /// First box of each slot among all, as there is room for them.
    std::uint32_t first_box[max_slots + 1];
    WaveCounts* counts;           ///< [1]
    std::uint8_t* source_octants; ///< [source boxes]
    std::uint8_t* target_octants; ///< [rows]
    std::uint32_t* regular;       ///< [rows], bits of parents: neighbours whose children send waves
    WaveFamily* families;         ///< [parents]
    std::uint32_t* places;        ///< [parents][all_wave_places] source boxes, or no_wave_box
    std::uint32_t* targets;       ///< [rows], row of each target
    std::uint32_t* others;        ///< offsets and entries, as in ListLayout's far list
    /// [source boxes of other slots], rows of those that send; before, 0 for those that are not in
    /// lists.
    std::uint32_t* foreign_rows;
    SlotBox* foreign;           ///< [foreign_room] boxes that have these rows
    std::uint32_t foreign_room; ///< rows

    [[nodiscard]] STARFMM_HOST_DEVICE ListView others_of(const ListLayout& layout) const {
        return layout.far(others);
    }

    /// Returns the octants of a slot's boxes.
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint8_t* octants(std::uint32_t slot) const {
        return source_octants + first_box[slot];
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t number(const SlotBox& source) const {
        return first_box[source.slot] + source.box;
    }

    /// Returns the row of a sender's waves, once all lists are complete.
    [[nodiscard]] __device__ std::uint32_t row(std::uint32_t number) const {
        const std::uint32_t first_foreign = first_box[1];
        return number < first_foreign ? number : foreign_rows[number - first_foreign];
    }

    __device__ void set_heard(const SlotBox& source) const {
        foreign_rows[number(source) - first_box[1]] = 1;
    }

    [[nodiscard]] __device__ bool is_heard(const SlotBox& source) const {
        return foreign_rows[number(source) - first_box[1]] != 0;
    }

    /// Gives a box of another slot a row.
    /// \returns whether there was one left
    [[nodiscard]] __device__ bool add_foreign(const SlotBox& source) const {
        const std::uint32_t first_foreign = first_box[1];
        const std::uint32_t index = atomicAdd(&counts->foreign, 1U);
        if (index >= foreign_room) {
            return false;
        }
        foreign[index] = source;
        foreign_rows[number(source) - first_foreign] = first_foreign + index;
        return true;
    }

    /// Returns the number of rows of waves that may be sent.
    /// \param n_own  boxes of the first slot
    [[nodiscard]] __device__ std::size_t n_rows(std::size_t n_own) const {
        const std::uint32_t n = min(counts->foreign, foreign_room);
        return n > 0 ? std::size_t(first_box[1]) + n : n_own;
    }

    /// Returns the box whose waves lie in a row.
    /// \param row  below n_rows(n_own), and no gap between n_own and the first foreign one
    [[nodiscard]] __device__ SlotBox sender(std::size_t row) const {
        const std::size_t first_foreign = first_box[1];
        return row < first_foreign ? SlotBox{0, static_cast<std::uint32_t>(row)}
                                   : foreign[row - first_foreign];
    }
};

} // namespace starfmm
