// SPDX-License-Identifier: BSD-3-Clause
// Index arithmetic of the pyramid: every offset is a pure function of (N, level, box) [GE12 Sec 2].
#pragma once

#include "core/host_device.hpp"
#include "core/position.hpp"
#include "core/tree/tree.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The number of children of a box: D successive median splits.
template <int D>
inline constexpr std::uint32_t n_children = 1U << D;

/// Returns the number of boxes of a level (root: level 0).
template <int D>
STARFMM_HOST_DEVICE constexpr std::size_t n_boxes(int level) {
    return std::size_t(1) << (D * level);
}

constexpr std::size_t n_boxes(int dimension, int level) {
    return std::size_t(1) << (dimension * level);
}

/// Returns the first point of node `node` after `splits` binary splits of `n_points` points. Nodes
/// are nested and balanced: those of one depth differ by at most one point.
STARFMM_HOST_DEVICE constexpr std::uint64_t
node_begin(std::uint64_t n_points, int splits, std::uint64_t node) {
    return (n_points * node) >> splits;
}

/// Returns the first point of box `box` of `level`. Boxes of a level are contiguous, so that
/// `box + 1` gives the end.
template <int D>
STARFMM_HOST_DEVICE constexpr std::uint64_t
point_begin(std::uint64_t n_points, int level, std::uint64_t box) {
    return node_begin(n_points, D * level, box);
}

/// The levels `first..last` below one box, in any number of dimensions: the unit of a task.
struct Subtree {
    int first = 0;          ///< level of the root box
    int last = 0;           ///< finest level
    std::uint64_t root = 0; ///< index of the root box within its level
};

/// A subtree of a pyramid of D dimensions. Boxes are stored level by level, root first: a heap of
/// 2^D children a box.
template <int D>
struct Pyramid : Subtree {
    STARFMM_HOST_DEVICE std::size_t boxes(int level) const {
        return std::size_t(1) << (D * (level - first));
    }

    /// Returns the position of the first box of `level` in arrays over the subtree's boxes.
    STARFMM_HOST_DEVICE std::size_t offset(int level) const {
        return ((std::size_t(1) << (D * (level - first))) - 1) / (n_children<D> - 1);
    }

    STARFMM_HOST_DEVICE std::size_t total_boxes() const { return offset(last + 1); }

    STARFMM_HOST_DEVICE std::size_t leaves() const { return boxes(last); }

    STARFMM_HOST_DEVICE int first_level() const { return first; }

    STARFMM_HOST_DEVICE int last_level() const { return last; }

    STARFMM_HOST_DEVICE std::size_t leaf_box(std::size_t leaf) const { return offset(last) + leaf; }

    STARFMM_HOST_DEVICE BoxRange children(std::size_t box) const {
        const std::size_t begin = n_children<D> * box + 1;
        return {begin, box < offset(last) ? begin + n_children<D> : begin};
    }

    STARFMM_HOST_DEVICE std::size_t parent(std::size_t box) const {
        return (box - 1) / n_children<D>;
    }

    /// Returns the first point of the subtree's `box` of `level`, counted from the subtree's first
    /// point.
    STARFMM_HOST_DEVICE std::uint64_t
    begin(std::uint64_t n_points, int level, std::uint64_t box) const {
        const std::uint64_t first_box = root << (D * (level - first));
        return point_begin<D>(n_points, level, first_box + box) -
               point_begin<D>(n_points, first, root);
    }

    STARFMM_HOST_DEVICE std::uint64_t n_points(std::uint64_t n_total) const {
        return point_begin<D>(n_total, first, root + 1) - point_begin<D>(n_total, first, root);
    }
};

static_assert(Tree<Pyramid<2>> && Tree<Pyramid<3>>);

/// A Pyramid whose number of dimensions is known only when the program runs, by which arrays and
/// graphs are sized.
class AnyPyramid : public Subtree {
    template <class Question>
    [[nodiscard]] auto ask(const Question& question) const {
        return with_dimension(dimension_, [&](auto d) {
            return question(Pyramid<d()>{subtree()});
        });
    }

public:
    AnyPyramid() = default;

    AnyPyramid(int dimension, const Subtree& tree) : Subtree(tree), dimension_(dimension) {}

    [[nodiscard]] const Subtree& subtree() const { return *this; }

    [[nodiscard]] std::size_t total_boxes() const {
        return ask([](const auto& tree) { return tree.total_boxes(); });
    }

    [[nodiscard]] std::size_t leaves() const {
        return ask([](const auto& tree) { return tree.leaves(); });
    }

    [[nodiscard]] std::size_t leaf_box(std::size_t leaf) const {
        return ask([leaf](const auto& tree) { return tree.leaf_box(leaf); });
    }

    [[nodiscard]] std::uint64_t n_points(std::uint64_t n_total) const {
        return ask([n_total](const auto& tree) { return tree.n_points(n_total); });
    }

private:
    int dimension_ = 2;
};

/// Returns the finest level for a leaf size, that is a desired number of sources a leaf [GE12 Eq
/// 5.2]: ceil(log(5 N / (8 N_d)) / log(2^D)), at least 0, and never so deep that a leaf is empty.
inline int levels_for_leaf_size(int dimension, std::size_t n_points, double leaf_size) {
    const double wanted = std::log2(0.625 * static_cast<double>(n_points) / leaf_size) / dimension;
    int level = wanted > 0 ? static_cast<int>(std::ceil(wanted)) : 0;
    while (level > 0 && n_boxes(dimension, level) > n_points) {
        --level;
    }
    return level;
}

} // namespace starfmm
