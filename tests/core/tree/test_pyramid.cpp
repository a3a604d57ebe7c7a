// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/pyramid.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using starfmm::levels_for_leaf_size;
using starfmm::n_boxes;
using starfmm::n_children;
using starfmm::node_begin;
using starfmm::point_begin;
using starfmm::Pyramid;

namespace {

template <int D>
void check_sizes(std::uint64_t n, int level) {
    const std::size_t boxes = n_boxes<D>(level);
    CHECK(point_begin<D>(n, level, 0) == 0);
    CHECK(point_begin<D>(n, level, boxes) == n);
    for (std::size_t box = 0; box < boxes; ++box) {
        const std::uint64_t size =
            point_begin<D>(n, level, box + 1) - point_begin<D>(n, level, box);
        CHECK(size >= n / boxes);
        CHECK(size <= (n + boxes - 1) / boxes);
        // children are the box's own part
        const std::uint64_t children = n_children<D>;
        CHECK(point_begin<D>(n, level + 1, children * box) == point_begin<D>(n, level, box));
    }
}

/// Checks that children and parents by number are those of the level below and above.
template <int D>
void check_families(const Pyramid<D>& tree) {
    for (int level = tree.first; level <= tree.last; ++level) {
        for (std::size_t i = 0; i < tree.boxes(level); ++i) {
            const std::size_t box = tree.offset(level) + i;
            const starfmm::BoxRange children = tree.children(box);
            if (level == tree.last) {
                CHECK(children.begin == children.end);
                CHECK(tree.leaf_box(i) == box);
                continue;
            }
            CHECK(children.begin == tree.offset(level + 1) + n_children<D> * i);
            CHECK(children.end == children.begin + n_children<D>);
            for (std::size_t child = children.begin; child < children.end; ++child) {
                CHECK(tree.parent(child) == box);
            }
        }
    }
}

template <int D>
void check_subtrees(std::uint64_t n, int first, int last) {
    std::uint64_t sum = 0;
    for (std::uint64_t root = 0; root < n_boxes<D>(first); ++root) {
        const Pyramid<D> tree{first, last, root};
        CHECK(tree.n_points(n) == tree.begin(n, last, tree.leaves()));
        CHECK(tree.begin(n, last, 0) == 0);
        std::size_t boxes = 0;
        for (int level = first; level <= last; ++level) {
            CHECK(tree.offset(level) == boxes);
            boxes += tree.boxes(level);
            for (std::size_t box = 0; box < tree.boxes(level); ++box) {
                const std::uint64_t global = root * tree.boxes(level) + box;
                CHECK(
                    tree.begin(n, level, box) + point_begin<D>(n, first, root) ==
                    point_begin<D>(n, level, global)
                );
            }
        }
        CHECK(tree.total_boxes() == boxes);
        sum += tree.n_points(n);
    }
    CHECK(sum == n);
}

} // namespace

TEST_CASE("pyramid: children and parents know each other") {
    check_families(Pyramid<2>{0, 4, 0});
    check_families(Pyramid<2>{2, 4, 7});
    check_families(Pyramid<2>{3, 3, 0});
    check_families(Pyramid<3>{0, 3, 0});
}

TEST_CASE("pyramid: a box has 2^D children, a level 2^(D level) boxes") {
    CHECK(n_children<2> == 4);
    CHECK(n_children<3> == 8);
    CHECK(n_boxes<2>(0) == 1);
    CHECK(n_boxes<2>(5) == 1024);
    CHECK(n_boxes<3>(4) == 4096);
    CHECK(n_boxes<2>(15) == std::size_t(1) << 30);
}

TEST_CASE("pyramid: boxes of a level have the same size within one and are nested") {
    for (const std::uint64_t n : {0, 1, 2, 3, 31, 1000, 65537}) {
        for (int level = 0; level <= 4; ++level) {
            check_sizes<2>(n, level);
            check_sizes<3>(n, level);
        }
    }
}

TEST_CASE("pyramid: the two halves of a split differ by at most one") {
    for (std::uint64_t n = 0; n < 70; ++n) {
        for (int splits = 0; splits < 6; ++splits) {
            for (std::uint64_t node = 0; node < std::uint64_t(1) << splits; ++node) {
                const std::uint64_t begin = node_begin(n, splits, node);
                const std::uint64_t middle = node_begin(n, splits + 1, 2 * node + 1);
                const std::uint64_t end = node_begin(n, splits, node + 1);
                CHECK(begin == node_begin(n, splits + 1, 2 * node));
                CHECK(middle - begin <= end - middle + 1);
                CHECK(end - middle <= middle - begin + 1);
            }
        }
    }
}

TEST_CASE("pyramid: 2^32 - 1 points on the finest level do not overflow") {
    const std::uint64_t n = 4294967295;
    CHECK(point_begin<2>(n, 15, std::uint64_t(1) << 30) == n);
    CHECK(point_begin<2>(n, 15, 1) == 3);
}

TEST_CASE("pyramid: subtrees cut the pyramid into consecutive parts") {
    for (const std::uint64_t n : {1, 31, 1000, 4097}) {
        check_subtrees<2>(n, 0, 3);
        check_subtrees<2>(n, 1, 3);
        check_subtrees<2>(n, 2, 4);
        check_subtrees<2>(n, 2, 2);
        check_subtrees<3>(n, 1, 2);
    }
}

TEST_CASE("pyramid: levels follow the desired size of a leaf") {
    // ceil(log(5 N / (8 N_d)) / log(2^D)) [GE12 Eq 5.2]
    CHECK(levels_for_leaf_size(2, 1'000'000, 45) == 7);
    CHECK(levels_for_leaf_size(2, 100'000, 35) == 6);
    CHECK(levels_for_leaf_size(3, 1'000'000, 60) == 5);
    CHECK(levels_for_leaf_size(2, 1, 1) == 0);
    CHECK(levels_for_leaf_size(2, 30, 35) == 0);
    CHECK(levels_for_leaf_size(2, 64, 10) == 1); // 40 / 10 is exactly one level
    CHECK(levels_for_leaf_size(2, 65, 10) == 2);
    for (const std::size_t n : {1, 2, 3, 4, 5, 15, 16, 17, 1000}) {
        CHECK(n_boxes<2>(levels_for_leaf_size(2, n, 0.01)) <= n); // no leaf is empty
        CHECK(n_boxes<3>(levels_for_leaf_size(3, n, 0.01)) <= n);
    }
}
