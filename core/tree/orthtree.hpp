// SPDX-License-Identifier: BSD-3-Clause
// Orthtree: the adaptive quadtree or octree. A box is split into halves of its sides while it holds
// more points than asked for; boxes without points are not stored. Points are in the order of the
// Z-order curve, so those of a box are neighbours.
#pragma once

#include "core/host_device.hpp"
#include "core/tree/morton.hpp"
#include "core/tree/tree.hpp"
#include "core/tree/uniform_tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// How many boxes an orthtree has: known once it has grown.
struct OrthtreeSize {
    std::uint32_t n_boxes = 0; ///< 0: no orthtree
    std::uint32_t n_leaves = 0;
    std::uint32_t last_level = 0;
    std::uint32_t overflow = 0; ///< nonzero: it has more boxes than there was room for
};

/// Place of a point on the curve of the deepest level; points outside the domain belong to the box
/// of the border next to them. A subtraction, a product and a truncation: the same on every
/// processor.
template <int D>
STARFMM_HOST_DEVICE DeepCode
deep_code_of(const Domain<D>& domain, const std::array<double, D>& point) {
    constexpr auto boxes = static_cast<double>(std::uint32_t(1) << deepest_level<D>);
    const double scale = boxes / domain.side;
    std::array<std::uint32_t, D> at{};
    for (int d = 0; d < D; ++d) {
        const double t = (point[d] - domain.corner[d]) * scale;
        at[d] = t <= 0 ? 0 : static_cast<std::uint32_t>(t < boxes ? t : boxes - 1);
    }
    return deep_code<D>(at);
}

/// Bits of a code below those that name its box of `level`.
template <int D>
STARFMM_HOST_DEVICE constexpr int bits_below(int level) {
    return D * (deepest_level<D> - level);
}

/// A view of the arrays of an orthtree of D dimensions with room for `capacity` boxes. They are one
/// array of words(capacity).
template <int D>
struct Orthtree {
    std::uint32_t* child_begin = nullptr; ///< [n_boxes + 1], first child: those of a box end where
                                          ///< the next one's begin
    std::uint32_t* parents = nullptr;     ///< [n_boxes], the root's: itself
    std::uint32_t* leaf_boxes = nullptr;  ///< [n_leaves]
    std::uint32_t* leaf_begin = nullptr;  ///< [n_leaves + 1], first point
    std::uint32_t* level_begin = nullptr; ///< [deepest_level + 2]
    OrthtreeSize* size = nullptr;         ///< [1]

    static constexpr std::size_t levels_room = 36; ///< words, of level_begin
    static constexpr std::size_t fixed_words = levels_room + 4 + 4;

    /// A multiple of two.
    static constexpr std::size_t words(std::size_t capacity) { return 4 * capacity + fixed_words; }

    /// Its inverse.
    static constexpr std::size_t capacity(std::size_t n_words) {
        return (n_words - fixed_words) / 4;
    }

    STARFMM_HOST_DEVICE static Orthtree of(std::uint32_t* data, std::size_t capacity) {
        Orthtree tree;
        std::uint32_t* const begin = data;
        tree.size = reinterpret_cast<OrthtreeSize*>(begin);
        tree.level_begin = begin + 4;
        tree.child_begin = tree.level_begin + levels_room;
        tree.parents = tree.child_begin + capacity + 1;
        tree.leaf_boxes = tree.parents + capacity;
        tree.leaf_begin = tree.leaf_boxes + capacity;
        return tree;
    }

    STARFMM_HOST_DEVICE static constexpr int first_level() { return 0; }

    STARFMM_HOST_DEVICE int last_level() const { return static_cast<int>(size->last_level); }

    STARFMM_HOST_DEVICE std::size_t offset(int level) const { return level_begin[level]; }

    STARFMM_HOST_DEVICE std::size_t total_boxes() const { return size->n_boxes; }

    STARFMM_HOST_DEVICE BoxRange children(std::size_t box) const {
        return {child_begin[box], child_begin[box + 1]};
    }

    STARFMM_HOST_DEVICE std::size_t parent(std::size_t box) const { return parents[box]; }

    STARFMM_HOST_DEVICE std::size_t leaves() const { return size->n_leaves; }

    STARFMM_HOST_DEVICE std::size_t leaf_box(std::size_t leaf) const { return leaf_boxes[leaf]; }

    STARFMM_HOST_DEVICE std::uint32_t n_points(std::size_t leaf) const {
        return leaf_begin[leaf + 1] - leaf_begin[leaf];
    }
};

static_assert(Tree<Orthtree<2>> && Tree<Orthtree<3>>);

} // namespace starfmm
