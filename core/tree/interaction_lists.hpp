// SPDX-License-Identifier: BSD-3-Clause
// The interaction lists of one subtree: compressed rows in one array of 32-bit words.
#pragma once

#include "core/host_device.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// A source box as a list of a pyramid names it: `slot * boxes(level) + box`, where slots number
/// the neighbouring groups of the task and `box` counts within that group's level. All entries of a
/// row are of the row's level, and the children of reference r are n_children * r + c, whatever the
/// slot is. Lists of an orthtree use OrthtreeReferences.
using BoxReference = std::uint32_t;

/// The references by which lists of an orthtree name its boxes or leaves: by slot, and by number
/// within the slot's tree. The two highest bits are left to connect.
struct OrthtreeReferences {
    static constexpr int bits_alone = 30; ///< bits of a number where there is one slot
    static constexpr int bits_of_group = 24;

    int bits;

    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t slot(BoxReference reference) const {
        return reference >> bits;
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t number(BoxReference reference) const {
        return reference & ((std::uint32_t(1) << bits) - 1);
    }

    [[nodiscard]] STARFMM_HOST_DEVICE BoxReference
    name(std::uint32_t slot, std::size_t number) const {
        return slot << bits | static_cast<BoxReference>(number);
    }
};

/// One compressed-row list inside the array.
struct ListView {
    std::uint32_t* offsets; ///< [n_rows + 1]
    BoxReference* boxes;    ///< [capacity]
};

/// The sizes of the array's parts. Capacities are guesses: connect reports those that are exceeded,
/// and never overruns them.
struct ListLayout {
    std::uint64_t n_boxes = 0;  ///< rows of the far lists: boxes of the subtree, level by level
    std::uint64_t n_leaves = 0; ///< rows of the other lists
    std::uint64_t far_capacity = 0;
    /// Capacity of each of the near, P2L and M2P lists: near entries become the others.
    std::uint64_t near_capacity = 0;

    STARFMM_HOST_DEVICE std::uint64_t words() const {
        return n_boxes + 1 + far_capacity + 3 * (n_leaves + 1 + near_capacity);
    }

    /// The number of words before the far list's boxes, and before the near list's offsets and
    /// boxes.
    STARFMM_HOST_DEVICE std::uint64_t far_boxes() const { return n_boxes + 1; }

    STARFMM_HOST_DEVICE std::uint64_t near_offsets() const { return far_boxes() + far_capacity; }

    STARFMM_HOST_DEVICE std::uint64_t near_boxes() const { return near_offsets() + n_leaves + 1; }

    STARFMM_HOST_DEVICE ListView far(std::uint32_t* data) const {
        return {data, data + far_boxes()};
    }

    STARFMM_HOST_DEVICE ListView near(std::uint32_t* data) const { return leaf_list(data, 0); }

    STARFMM_HOST_DEVICE ListView p2l(std::uint32_t* data) const { return leaf_list(data, 1); }

    STARFMM_HOST_DEVICE ListView m2p(std::uint32_t* data) const { return leaf_list(data, 2); }

private:
    STARFMM_HOST_DEVICE ListView leaf_list(std::uint32_t* data, int i) const {
        std::uint32_t* begin = data + near_offsets() + i * (n_leaves + 1 + near_capacity);
        return {begin, begin + n_leaves + 1};
    }
};

/// The numbers that connect counts. They are exact even where a capacity was exceeded at the finest
/// level, and lower bounds where one was exceeded above it.
struct ListCounts {
    std::uint64_t far;       ///< M2L translations
    std::uint64_t near;      ///< near entries before P2L and M2P are taken out
    std::uint64_t p2l;       ///< boxes in P2L lists
    std::uint64_t m2p;       ///< boxes in M2P lists
    std::uint64_t p2p_pairs; ///< (target, source) pairs, a point with itself included
    std::uint64_t p2l_pairs; ///< sources that P2L shifts
    std::uint64_t m2p_pairs; ///< expansions that M2P evaluates
    std::uint64_t overflow;  ///< nonzero if a capacity was exceeded: the lists are unusable
};

} // namespace starfmm
