// SPDX-License-Identifier: BSD-3-Clause
// Orthtree: the adaptive quadtree or octree. A box is split into halves of its sides while it holds
// more points than asked for; boxes without points are not stored. Points are in the order of the
// Z-order curve, so those of a box are neighbours.
#pragma once

#include "core/arithmetic.hpp"
#include "core/host_device.hpp"
#include "core/tree/domain.hpp"
#include "core/tree/geometry.hpp"
#include "core/tree/morton.hpp"
#include "core/tree/tree.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The numbers of boxes and leaves that an orthtree has, known once it has grown.
struct OrthtreeSize {
    std::uint32_t n_boxes = 0; ///< 0 where there is no orthtree
    std::uint32_t n_leaves = 0;
    std::uint32_t last_level = 0;
    std::uint32_t overflow = 0; ///< nonzero if it has more boxes than there was room for
};

/// Returns the box of the deepest level that a point is in, along one direction; points outside the
/// domain belong to the box of the border next to them. A subtraction, a product and a truncation
/// are the same on every processor.
template <int D>
STARFMM_HOST_DEVICE std::uint32_t deep_place(const Domain<D>& domain, int d, double x) {
    constexpr auto boxes = static_cast<double>(std::uint32_t(1) << deepest_level<D>);
    const double t = (x - domain.corner[d]) * (boxes / domain.side);
    return t <= 0 ? 0 : static_cast<std::uint32_t>(t < boxes ? t : boxes - 1);
}

/// Returns the place of a point on the curve of the deepest level.
template <int D>
STARFMM_HOST_DEVICE DeepCode
deep_code_of(const Domain<D>& domain, const std::array<double, D>& point) {
    std::array<std::uint32_t, D> at{};
    for (int d = 0; d < D; ++d) {
        at[d] = deep_place(domain, d, point[d]);
    }
    return deep_code<D>(at);
}

/// Returns the ball about the box of `level` that a point is in. The roundings of its centre, by
/// which points may lie outside the box, count where the box is as small as they are.
template <int D>
STARFMM_HOST_DEVICE Frame<double, D>
cell_ball(const Domain<D>& domain, int level, const Position<D, double>& point) {
    constexpr double roundings = 0x1p-51;
    constexpr double half_diagonal = D == 2 ? 0.70710678118654752440 : 0.86602540378443864676;
    const double side = domain.side / static_cast<double>(std::uint32_t(1) << level);
    double radius = half_diagonal * side;
    const auto centre = make_position<D>([&](int d) {
        const std::uint32_t at =
            deep_place(domain, d, coordinate(point, d)) >> (deepest_level<D> - level);
        return Arithmetic<double>::fused(at + 0.5, side, domain.corner[d]);
    });
    for (int d = 0; d < D; ++d) {
        radius = Arithmetic<double>::fused(roundings, std::abs(coordinate(centre, d)), radius);
    }
    return {centre, radius};
}

/// The number of bits of a code below those that name its box of `level`.
template <int D>
STARFMM_HOST_DEVICE constexpr int bits_below(int level) {
    return D * (deepest_level<D> - level);
}

/// The number of levels of an octree whose boxes groups may share, each with some of the points:
/// those above the cells, or parts of cells, that groups consist of (codelets/tree/cells.hpp).
inline constexpr int shared_levels = 8;

/// The numbers of points of a set, in all groups, in the boxes that a group's first and last points
/// lie in, from the root down; 0 where no other group has points of the box. Shared boxes have
/// children.
struct SharedBoxes {
    std::uint32_t first[shared_levels];
    std::uint32_t last[shared_levels];
};

/// A view of the arrays of an orthtree of D dimensions with room for `capacity` boxes. They are one
/// array of words(capacity).
template <int D>
struct Orthtree {
    /// [n_boxes + 1], first child: those of a box end where the next one's begin.
    std::uint32_t* child_begin = nullptr;
    std::uint32_t* parents = nullptr;     ///< [n_boxes], the parent; of the root itself
    std::uint32_t* leaf_boxes = nullptr;  ///< [n_leaves]
    std::uint32_t* leaf_begin = nullptr;  ///< [n_leaves + 1], first point
    std::uint32_t* level_begin = nullptr; ///< [deepest_level + 2]
    SharedBoxes* shared = nullptr;        ///< [1], numbers of the points that leaf_begin counts
    OrthtreeSize* size = nullptr;         ///< [1]

    static constexpr std::size_t levels_room = 36; ///< words that level_begin takes
    static constexpr std::size_t shared_room = sizeof(SharedBoxes) / sizeof(std::uint32_t);
    static constexpr std::size_t fixed_words = levels_room + shared_room + 4 + 4;

    /// Returns the number of words that `capacity` boxes take, a multiple of two.
    static constexpr std::size_t words(std::size_t capacity) { return 4 * capacity + fixed_words; }

    /// Returns the number of boxes that `n_words` words have room for.
    static constexpr std::size_t capacity(std::size_t n_words) {
        return (n_words - fixed_words) / 4;
    }

    /// Returns the number of words before leaf_begin.
    static constexpr std::size_t leaf_begin_at(std::size_t capacity) {
        return 4 + levels_room + shared_room + 3 * capacity + 1;
    }

    STARFMM_HOST_DEVICE static Orthtree of(std::uint32_t* data, std::size_t capacity) {
        Orthtree tree;
        std::uint32_t* const begin = data;
        tree.size = reinterpret_cast<OrthtreeSize*>(begin);
        tree.level_begin = begin + 4;
        tree.shared = reinterpret_cast<SharedBoxes*>(tree.level_begin + levels_room);
        tree.child_begin = tree.level_begin + levels_room + shared_room;
        tree.parents = tree.child_begin + capacity + 1;
        tree.leaf_boxes = tree.parents + capacity;
        tree.leaf_begin = begin + leaf_begin_at(capacity);
        return tree;
    }

    STARFMM_HOST_DEVICE static constexpr int first_level() { return 0; }

    STARFMM_HOST_DEVICE int last_level() const { return static_cast<int>(size->last_level); }

    STARFMM_HOST_DEVICE std::size_t offset(int level) const { return level_begin[level]; }

    /// Returns the level of a box, in O(levels).
    [[nodiscard]] STARFMM_HOST_DEVICE int level_of(std::size_t box) const {
        int level = 0;
        while (box >= offset(level + 1)) {
            ++level;
        }
        return level;
    }

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

    /// Returns the number of points that all groups have of a box together if they share it, else
    /// 0. A shared box is the first or the last of its level.
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t n_shared(std::size_t box) const {
        for (int level = 0; level < shared_levels && level <= last_level(); ++level) {
            if (box < offset(level + 1)) {
                const bool is_first = box == offset(level) && shared->first[level] > 0;
                const bool is_last = box + 1 == offset(level + 1);
                return is_first ? shared->first[level] : is_last ? shared->last[level] : 0;
            }
        }
        return 0;
    }
};

static_assert(Tree<Orthtree<2>> && Tree<Orthtree<3>>);

} // namespace starfmm
