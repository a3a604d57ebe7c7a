// SPDX-License-Identifier: BSD-3-Clause
// What operators ask of a tree. The boxes of a tree are numbered level by level, the root first;
// boxes with one parent are neighbours, and those without children are leaves. Leaves have numbers
// of their own, in the order of their points.
#pragma once

#include <concepts>
#include <cstddef>

namespace starfmm {

/// The boxes `begin` to `end` - 1.
struct BoxRange {
    std::size_t begin;
    std::size_t end;
};

/// A tree as operators see it. Its models are Pyramid<D>, whose answers are arithmetic,
/// Orthtree<D>, whose answers are stored, and TaskTree, which is either.
template <class T>
concept Tree = requires(const T& tree, int level, std::size_t i) {
    { tree.first_level() } -> std::convertible_to<int>;
    { tree.last_level() } -> std::convertible_to<int>;
    /// offset(level) is the first box of a level; of the level below the last, the number of boxes.
    { tree.offset(level) } -> std::convertible_to<std::size_t>;
    { tree.children(i) } -> std::same_as<BoxRange>;
    /// parent(i) has a meaning for any box but the root.
    { tree.parent(i) } -> std::convertible_to<std::size_t>;
    { tree.leaves() } -> std::convertible_to<std::size_t>;
    { tree.leaf_box(i) } -> std::convertible_to<std::size_t>;
};

} // namespace starfmm
