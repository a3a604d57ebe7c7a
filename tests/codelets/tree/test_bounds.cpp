// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/geometry_variants.hpp"

#include <cmath>

namespace {

using starfmm::Frame;

template <int D>
struct Tree {
    starfmm::TaskArgs args;
    std::vector<double> positions;
    Words offsets;

    Tree(int levels, std::vector<double> points, Words leaves) : positions(std::move(points)) {
        args.tree = {0, levels, 0};
        offsets = std::move(leaves);
    }

    Tree(int levels, Shape shape, std::size_t n)
        : Tree(levels, positions_of<D>(shape, n), source_offsets<D>({{0, levels, 0}}, n)) {}

    [[nodiscard]] std::vector<double> boxes() {
        return boxes_of<D>(
            starfmm::geometry_set<D>().template get<starfmm::BoundsTask>().cpu(),
            args,
            positions,
            offsets
        );
    }

    [[nodiscard]] std::size_t n_boxes(int level) const { return starfmm::n_boxes<D>(level); }

    [[nodiscard]] std::size_t offset(int level) const {
        return starfmm::pyramid_of<D>(args).offset(level);
    }

    [[nodiscard]] long double position(int d, std::size_t i) const {
        return positions[static_cast<std::size_t>(d) * (positions.size() / D) + i];
    }

    /// Returns the points below a box.
    [[nodiscard]] starfmm::BoxRange points(int level, std::size_t box) const {
        const std::size_t leaves = starfmm::n_boxes<D>(args.tree.last - level);
        return {offsets[box * leaves], offsets[(box + 1) * leaves]};
    }

    /// Distance from the box's centre to the farthest of the points below the box.
    [[nodiscard]] long double
    reach(const Frame<double, D>& frame, int level, std::size_t box) const {
        const auto [begin, end] = points(level, box);
        long double reach = 0;
        for (std::size_t i = begin; i < end; ++i) {
            long double square = 0;
            for (int d = 0; d < D; ++d) {
                const long double side = position(d, i) - coordinate(frame.centre, d);
                square += side * side;
            }
            reach = std::max(reach, std::sqrt(square));
        }
        return reach;
    }

    /// Half the diagonal of the points' bounds.
    [[nodiscard]] long double half_diagonal(int level, std::size_t box) const {
        const auto [begin, end] = points(level, box);
        long double square = 0;
        for (int d = 0; d < D; ++d) {
            const auto* x = positions.data() + static_cast<std::size_t>(d) * (positions.size() / D);
            const auto [low, high] = std::minmax_element(x + begin, x + end);
            const long double side = static_cast<long double>(*high) - *low;
            square += side * side;
        }
        return std::sqrt(square) / 2;
    }
};

template <int D>
void check_discs(Shape shape, std::size_t n) {
    Tree<D> tree(n < starfmm::n_boxes<D>(2) ? 0 : 2, shape, n);
    const auto boxes = tree.boxes();
    for (int level = 0; level <= tree.args.tree.last; ++level) {
        for (std::size_t box = 0; box < tree.n_boxes(level); ++box) {
            const auto frame = frame_of<D>(boxes, tree.offset(level) + box);
            const auto radius = static_cast<long double>(frame.radius);
            // centre and distances are rounded: 4 each, of coordinates up to 5
            const long double rounding = 8 * 5 * roundoff<double>;
            CHECK(tree.reach(frame, level, box) <= radius + rounding);
            CHECK(radius <= tree.half_diagonal(level, box) + rounding);
        }
    }
}

template <int D>
void check_farthest_points() {
    Tree<D> tree(2, Shape::uniform, 200);
    const auto boxes = tree.boxes();
    for (std::size_t leaf = 0; leaf < tree.n_boxes(2); ++leaf) {
        const auto frame = frame_of<D>(boxes, tree.offset(2) + leaf);
        const long double reach = tree.reach(frame, 2, leaf);
        CHECK(std::abs(reach - frame.radius) <= 4 * roundoff<double> * reach);
    }
}

template <int D>
void check_coincident() {
    Tree<D> tree(1, Shape::coincident, 9);
    const auto boxes = tree.boxes();
    for (std::size_t box = 0; box < tree.offset(2); ++box) {
        const auto frame = frame_of<D>(boxes, box);
        for (int d = 0; d < D; ++d) {
            CHECK(coordinate(frame.centre, d) == 0.5);
        }
        CHECK(frame.radius == 0);
    }
}

template <int D>
void check_instruction_sets() {
    Tree<D> tree(3, Shape::uniform, 700);
    const auto expected = tree.boxes();
    for (const GeometryVariant& variant : geometry_variants<D>()) {
        CAPTURE(D);
        CAPTURE(variant.name);
        const auto bounds = body<starfmm::BoundsTask>(variant.bodies);
        CHECK(boxes_of<D>(bounds, tree.args, tree.positions, tree.offsets) == expected);
    }
}

} // namespace

TEST_CASE("bounds: every disc holds its points and no disc is too large") {
    for (const Shape shape : shapes) {
        for (const std::size_t n : {1, 2, 3, 31, 500}) {
            check_discs<2>(shape, n);
            check_discs<3>(shape, n);
        }
    }
}

TEST_CASE("bounds: discs hold points as near each other as doubles are") {
    constexpr double next = 1 + 0x1p-52;
    Tree<2> tree(
        1,
        {1, 1, 1, next, next, next, next, 1, /* y */ 1, next, next, 1, next, 1, 1, next},
        {0, 2, 4, 6, 8}
    );
    const auto boxes = tree.boxes();
    for (int level = 0; level <= 1; ++level) {
        for (std::size_t box = 0; box < tree.n_boxes(level); ++box) {
            const auto frame = frame_of(boxes, tree.offset(level) + box);
            CHECK(tree.reach(frame, level, box) <= frame.radius * (1 + 0x1p-50));
        }
    }
}

TEST_CASE("bounds: a leaf's disc ends at its farthest point") {
    check_farthest_points<2>();
    check_farthest_points<3>();
}

TEST_CASE("bounds: coincident points have a disc of radius 0 about them") {
    check_coincident<2>();
    check_coincident<3>();
}

TEST_CASE("bounds: boxes without points have radius -1, also among others") {
    // targets: leaves 1 and 2 of the first box, leaf 0 of the last; 7 in all
    Words offsets{0, 0, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 7, 7, 7, 7};
    Tree<2> tree(2, positions_of(Shape::uniform, 7), offsets);
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
    check_instruction_sets<2>();
    check_instruction_sets<3>();
}
