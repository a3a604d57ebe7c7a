// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/geometry_variants.hpp"
#include "tests/support/sort_run.hpp"

namespace {

using starfmm::node_begin;
using starfmm::plane_index;
using starfmm::Points;
using starfmm::SplitTree;

/// Numbers of levels: none, and some that leave leaves empty.
std::vector<int> tried_levels(std::size_t n) {
    return n < 100 ? std::vector{0, 1, 2, 4} : std::vector{2, 5};
}

void check_against_reference(const starfmm::GeometryBodies& bodies, std::size_t n) {
    for (const auto& set : point_sets(n)) {
        CAPTURE(set.name);
        for (const int levels : tried_levels(n)) {
            CAPTURE(levels);
            const auto expected = SortReference(set.points, levels).run();
            for (int group_level = 0; group_level <= std::min(levels, 2); ++group_level) {
                CAPTURE(group_level);
                const auto sorted = Sort<Buffers>(bodies, set.points, levels, group_level).run();
                CHECK(sorted == expected);
            }
        }
    }
}

/// Counts points of a node on the wrong side of its plane, and the plane itself if it is not the
/// first coordinate of the upper half.
std::size_t wrong_in_node(const Sorted& sorted, int depth, std::size_t node) {
    const std::size_t n = sorted.permutation.size();
    const std::size_t plane = plane_index(depth, node);
    const std::vector<double>& x = sorted.x[sorted.plane_directions[plane]];
    const auto at = [&](std::size_t i) { return std::pair(x[i], sorted.permutation[i]); };
    const std::size_t middle = node_begin(n, depth + 1, 2 * node + 1);
    auto first = at(middle);
    for (std::size_t i = middle; i < node_begin(n, depth, node + 1); ++i) {
        first = std::min(first, at(i));
    }
    std::size_t n_wrong = first.first == sorted.plane_values[plane] ? 0 : 1;
    for (std::size_t i = node_begin(n, depth, node); i < middle; ++i) {
        n_wrong += at(i) < first ? 0 : 1;
    }
    return n_wrong;
}

bool is_permutation(Words words) {
    std::sort(words.begin(), words.end());
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] != i) {
            return false;
        }
    }
    return true;
}

/// Whether sizes of leaves differ by at most one, and the first and last points find their leaf.
bool is_balanced(const SplitTree& tree, std::uint64_t leaf, std::uint64_t smallest) {
    const std::uint64_t begin = tree.begin(tree.depths, leaf);
    const std::uint64_t size = tree.begin(tree.depths, leaf + 1) - begin;
    const bool is_found = size == 0 || (tree.node_of(tree.depths, begin) == leaf &&
                                        tree.node_of(tree.depths, begin + size - 1) == leaf);
    return is_found && (size == smallest || size == smallest + 1);
}

} // namespace

TEST_CASE("sort: order and planes are the definition's, bit by bit") {
    for (const GeometryVariant& variant : geometry_variants()) {
        CAPTURE(variant.name);
        for (const std::size_t n : {0, 1, 2, 3, 17, 64, 1009, 5003}) {
            CAPTURE(n);
            check_against_reference(variant.bodies, n);
        }
    }
}

TEST_CASE("sort: groups of any number give the same order") {
    using Run = Sort<Buffers>;
    constexpr int levels = 6;
    for (const auto& set : point_sets(100'003)) {
        CAPTURE(set.name);
        const GeometryVariant variant = geometry_variants().front();
        const auto whole = Run(variant.bodies, set.points, levels, 0).run();
        CHECK(Run(variant.bodies, set.points, levels, 1).run() == whole);
        CHECK(Run(variant.bodies, set.points, levels, 2).run() == whole);
    }
}

TEST_CASE("sort: a permutation; halves lie on their sides of each plane") {
    constexpr int levels = 3;
    const GeometryVariant variant = geometry_variants().front();
    for (const auto& set : point_sets(2003)) {
        CAPTURE(set.name);
        const auto sorted = Sort<Buffers>(variant.bodies, set.points, levels, 1).run();
        CHECK(is_permutation(sorted.permutation));
        std::size_t n_wrong = 0;
        for (int depth = 0; depth < 2 * levels; ++depth) {
            for (std::size_t node = 0; node < std::size_t(1) << depth; ++node) {
                n_wrong += wrong_in_node(sorted, depth, node);
            }
        }
        CHECK(n_wrong == 0);
    }
}

TEST_CASE("sort: nodes of a depth differ by at most one point, and a point's node is found") {
    for (const std::uint64_t n : {1ULL, 2ULL, 3ULL, 1009ULL, 3ULL << 30U, 0xffffffffULL}) {
        CAPTURE(n);
        const SplitTree tree{n, 4, 11, 12};
        std::size_t n_balanced = 0;
        for (std::uint64_t leaf = 0; leaf < 4096; ++leaf) {
            n_balanced += is_balanced(tree, leaf, n >> 16U) ? 1 : 0;
        }
        CHECK(n_balanced == 4096);
    }
}
