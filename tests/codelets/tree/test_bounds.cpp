// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/geometry_variants.hpp"

namespace {

using starfmm::Frame;

struct Tree {
    starfmm::TaskArgs args;
    std::vector<double> positions;
    Words offsets;

    Tree(int levels, std::vector<double> points, Words leaves) : positions(std::move(points)) {
        args.tree = {0, levels, 0};
        offsets = std::move(leaves);
    }

    Tree(int levels, Shape shape, std::size_t n)
        : Tree(levels, positions_of(shape, n), source_offsets({0, levels, 0}, n)) {}

    [[nodiscard]] std::vector<double> boxes() {
        return boxes_of(
            starfmm::geometry_set().get<starfmm::BoundsTask>().cpu(), args, positions, offsets
        );
    }

    /// Distance of the farthest of the points below a box from the box's centre.
    [[nodiscard]] long double reach(const Frame<double>& frame, int level, std::size_t box) const {
        const std::size_t leaves = std::size_t(1) << (2 * (args.tree.last - level));
        long double reach = 0;
        for (std::size_t i = offsets[box * leaves]; i < offsets[(box + 1) * leaves]; ++i) {
            const Exact point(positions[i], positions[positions.size() / 2 + i]);
            reach = std::max(reach, std::abs(point - exact(frame.centre)));
        }
        return reach;
    }

    /// Half the diagonal of the points' bounds.
    [[nodiscard]] long double half_diagonal(int level, std::size_t box) const {
        const std::size_t leaves = std::size_t(1) << (2 * (args.tree.last - level));
        const std::size_t begin = offsets[box * leaves];
        const std::size_t end = offsets[(box + 1) * leaves];
        const auto* x = positions.data();
        const auto* y = x + positions.size() / 2;
        const auto [left, right] = std::minmax_element(x + begin, x + end);
        const auto [low, high] = std::minmax_element(y + begin, y + end);
        return std::abs(Exact(Exact::value_type(*right) - *left, Exact::value_type(*high) - *low)) /
               2;
    }
};

} // namespace

TEST_CASE("bounds: every disc holds its points and no disc is too large") {
    for (const Shape shape : shapes) {
        for (const std::size_t n : {1, 2, 3, 31, 500}) {
            Tree tree(n < 16 ? 0 : 2, shape, n);
            const auto boxes = tree.boxes();
            for (int level = 0; level <= tree.args.tree.last; ++level) {
                for (std::size_t box = 0; box < pyramid_of<2>(tree.args).boxes(level); ++box) {
                    const auto frame =
                        frame_of(boxes, pyramid_of<2>(tree.args).offset(level) + box);
                    const auto radius = static_cast<long double>(frame.radius);
                    // centre and distances are rounded: 4 each, of coordinates up to 3
                    const long double rounding = 8 * 3 * roundoff<double>;
                    CHECK(tree.reach(frame, level, box) <= radius + rounding);
                    CHECK(radius <= tree.half_diagonal(level, box) + rounding);
                }
            }
        }
    }
}

TEST_CASE("bounds: discs hold points as near each other as doubles are") {
    constexpr double next = 1 + 0x1p-52;
    Tree tree(
        1,
        {1, 1, 1, next, next, next, next, 1, /* y */ 1, next, next, 1, next, 1, 1, next},
        {0, 2, 4, 6, 8}
    );
    const auto boxes = tree.boxes();
    for (int level = 0; level <= 1; ++level) {
        for (std::size_t box = 0; box < pyramid_of<2>(tree.args).boxes(level); ++box) {
            const auto frame = frame_of(boxes, pyramid_of<2>(tree.args).offset(level) + box);
            CHECK(tree.reach(frame, level, box) <= frame.radius * (1 + 0x1p-50));
        }
    }
}

TEST_CASE("bounds: a leaf's disc ends at its farthest point") {
    Tree tree(2, Shape::uniform, 200);
    const auto boxes = tree.boxes();
    for (std::size_t leaf = 0; leaf < 16; ++leaf) {
        const auto frame = frame_of(boxes, 5 + leaf);
        const long double reach = tree.reach(frame, 2, leaf);
        CHECK(std::abs(reach - frame.radius) <= 4 * roundoff<double> * reach);
    }
}

TEST_CASE("bounds: coincident points have a disc of radius 0 about them") {
    Tree tree(1, Shape::coincident, 9);
    const auto boxes = tree.boxes();
    for (std::size_t box = 0; box < 5; ++box) {
        const auto frame = frame_of(boxes, box);
        CHECK(frame.centre.re == 0.5);
        CHECK(frame.centre.im == 0.5);
        CHECK(frame.radius == 0);
    }
}

TEST_CASE("bounds: boxes without points have radius -1, also among others") {
    // targets: leaves 1 and 2 of the first box, leaf 0 of the last; 7 in all
    Words offsets{0, 0, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 7, 7, 7, 7};
    Tree tree(2, positions_of(Shape::uniform, 7), offsets);
    const auto boxes = tree.boxes();
    for (std::size_t leaf = 0; leaf < 16; ++leaf) {
        const bool empty = offsets[leaf] == offsets[leaf + 1];
        CHECK((frame_of(boxes, 5 + leaf).radius == -1) == empty);
    }
    CHECK(frame_of(boxes, 1).radius > 0);
    CHECK(frame_of(boxes, 2).radius == -1);
    CHECK(frame_of(boxes, 3).radius == -1);
    CHECK(frame_of(boxes, 4).radius > 0);
    CHECK(
        tree.reach(frame_of(boxes, 0), 0, 0) <=
        frame_of(boxes, 0).radius * (1 + 8 * roundoff<double>)
    );
}

TEST_CASE("bounds: instruction sets find the same bits") {
    Tree tree(3, Shape::uniform, 700);
    const auto expected = tree.boxes();
    for (const GeometryVariant& variant : geometry_variants()) {
        CAPTURE(variant.name);
        CHECK(
            boxes_of(
                body<starfmm::BoundsTask>(variant.bodies), tree.args, tree.positions, tree.offsets
            ) == expected
        );
    }
}
