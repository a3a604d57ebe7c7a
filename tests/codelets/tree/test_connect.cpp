// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/connect_group.hpp"

namespace {

using starfmm::Coupling;
using starfmm::Frame;
using starfmm::ListCounts;
using starfmm::ListLayout;
using starfmm::Pyramid;

/// How often each source leaf of every slot meets target leaf `leaf`, by any list.
std::vector<int> meetings(Group& group, std::size_t leaf) {
    const Pyramid<2> tree = pyramid_of<2>(group.args);
    std::vector<int> count(group.sources.size() * tree.leaves());
    const auto add = [&](const starfmm::ListView& list, std::size_t row, int level) {
        const std::size_t leaves = std::size_t(1) << (2 * (tree.last - level));
        for (std::uint32_t i = list.offsets[row]; i < list.offsets[row + 1]; ++i) {
            for (std::size_t c = 0; c < leaves; ++c) {
                ++count.at(list.boxes[i] * leaves + c);
            }
        }
    };
    std::uint32_t* data = group.lists.data();
    for (int level = tree.first; level <= tree.last; ++level) {
        add(group.args.lists.far(data),
            tree.offset(level) + (leaf >> (2 * (tree.last - level))),
            level);
    }
    add(group.args.lists.near(data), leaf, tree.last);
    add(group.args.lists.p2l(data), leaf, tree.last);
    add(group.args.lists.m2p(data), leaf, tree.last);
    return count;
}

void check_covered_once(Group& group) {
    REQUIRE(group.counts[0].overflow == 0);
    for (std::size_t leaf = 0; leaf < pyramid_of<2>(group.args).leaves(); ++leaf) {
        for (const int count : meetings(group, leaf)) {
            CHECK(count == 1);
        }
    }
}

} // namespace

TEST_CASE("connect: every pair of leaves exactly once") {
    for (const Shape shape : shapes) {
        for (const int first : {0, 1}) {
            for (const int last : {first, first + 1, first + 3}) {
                Group group(shape, first, last, 6007, 10);
                group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
                check_covered_once(group);
            }
        }
    }
}

TEST_CASE("connect: far boxes are separated, their parents are not") {
    Group group(Shape::uniform, 1, 4, 6007, 10);
    group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
    const Pyramid<2> tree = pyramid_of<2>(group.args);
    const auto far = group.args.lists.far(group.lists.data());
    const auto separation = [&](int level, std::size_t box, std::uint32_t reference) {
        const auto a = frame_of(group.targets, tree.offset(level) + box);
        const auto b = group.source(level, reference);
        const double d = magnitude(a.centre - b.centre);
        const double larger = std::max(a.radius, b.radius);
        const double smaller = std::min(a.radius, b.radius);
        return larger + 0.5 * smaller - 0.5 * d; // [GE12 Eq 2.1]: separated where <= 0
    };
    const double rounding = 8 * roundoff<double>;
    std::size_t n_far = 0;
    for (int level = tree.first; level <= tree.last; ++level) {
        for (std::size_t box = 0; box < tree.boxes(level); ++box) {
            const std::size_t row = tree.offset(level) + box;
            for (std::uint32_t i = far.offsets[row]; i < far.offsets[row + 1]; ++i) {
                CHECK(separation(level, box, far.boxes[i]) <= rounding);
                if (level > tree.first + 1) {
                    CHECK(separation(level - 1, box / 4, far.boxes[i] / 4) >= -rounding);
                }
                ++n_far;
            }
        }
    }
    CHECK(n_far == group.counts[0].far);
    CHECK(n_far > 0);
}

TEST_CASE("connect: the leaves' lists follow the swapped criterion") {
    using List = starfmm::ListView (ListLayout::*)(std::uint32_t*) const;
    Group group(Shape::uniform, 0, 4, 6007, 3);
    // sizes of leaves differ by a lot where their points do: some leaves shrink to a spot
    for (std::size_t leaf = 0; leaf < 255; leaf += 3) {
        const std::size_t n = pyramid_of<2>(group.args).total_boxes();
        const std::size_t radius = 2 * n + pyramid_of<2>(group.args).offset(4) + leaf;
        group.targets[radius] *= 0.01;
        group.sources[0][radius + 1] *= 0.01;
    }
    group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
    check_covered_once(group);
    const std::pair<List, Coupling> lists[] = {
        {&ListLayout::near, Coupling::near},
        {&ListLayout::p2l, Coupling::p2l},
        {&ListLayout::m2p, Coupling::m2p}};
    for (const auto& [list, coupling] : lists) {
        const auto view = (group.args.lists.*list)(group.lists.data());
        CHECK(view.offsets[256] > 0);
        for (std::size_t leaf = 0; leaf < 256; ++leaf) {
            for (std::uint32_t i = view.offsets[leaf]; i < view.offsets[leaf + 1]; ++i) {
                const std::uint32_t other = view.boxes[i];
                const Coupling expected = starfmm::leaf_coupling(
                    group.source(4, other),
                    frame_of(group.targets, pyramid_of<2>(group.args).offset(4) + leaf),
                    0.5,
                    group.target_offsets[other + 1] - group.target_offsets[other],
                    group.target_offsets[leaf + 1] - group.target_offsets[leaf],
                    3
                );
                CHECK(expected == coupling);
            }
        }
    }
}

TEST_CASE("connect: counts are those of the lists") {
    Group group(Shape::clustered, 1, 3, 5003, 4);
    group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
    const ListCounts& counts = group.counts[0];
    const ListLayout& layout = group.args.lists;
    std::uint32_t* data = group.lists.data();
    const std::size_t leaves = pyramid_of<2>(group.args).leaves();
    CHECK(counts.far == layout.far(data).offsets[layout.n_boxes]);
    CHECK(counts.p2l == layout.p2l(data).offsets[leaves]);
    CHECK(counts.m2p == layout.m2p(data).offsets[leaves]);
    CHECK(counts.near == layout.near(data).offsets[leaves] + counts.p2l + counts.m2p);
    std::uint64_t pairs = 0;
    const auto near = layout.near(data);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
        for (std::uint32_t i = near.offsets[leaf]; i < near.offsets[leaf + 1]; ++i) {
            const std::size_t slot = near.boxes[i] / leaves;
            const auto tree =
                starfmm::slot_pyramid<2>(group.args, static_cast<std::uint32_t>(slot));
            const std::size_t box = near.boxes[i] % leaves;
            const std::uint64_t n = tree.begin(5003, 3, box + 1) - tree.begin(5003, 3, box);
            pairs += n * (group.target_offsets[leaf + 1] - group.target_offsets[leaf]);
        }
    }
    CHECK(counts.p2p_pairs == pairs);
}

TEST_CASE("connect: boxes without points meet nobody") {
    Group group(Shape::uniform, 0, 2, 1000, 10);
    const std::size_t radii = 2 * pyramid_of<2>(group.args).total_boxes();
    group.targets[radii + pyramid_of<2>(group.args).offset(2) + 5] = -1;
    group.targets[radii + pyramid_of<2>(group.args).offset(1) + 2] = -1;
    group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
    for (std::size_t leaf = 0; leaf < 16; ++leaf) {
        const bool empty = leaf == 5 || leaf / 4 == 2;
        for (const int count : meetings(group, leaf)) {
            CHECK(count == (empty ? 0 : 1));
        }
    }
}

TEST_CASE("connect: too small lists are reported, not overrun") {
    Group group(Shape::uniform, 0, 3, 3000, 10);
    group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
    const ListCounts counts = group.counts[0];
    group.args.lists.far_capacity = counts.far - 1;
    group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
    CHECK(group.counts[0].overflow != 0);
    CHECK(group.counts[0].far == counts.far);
    while (group.counts[0].overflow != 0) {
        group.args.lists.far_capacity *= 2;
        group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
    }
    check_covered_once(group);
    group.args.lists.near_capacity = counts.near - 1;
    group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
    CHECK(group.counts[0].overflow != 0);
}

TEST_CASE("connect: instruction sets find the same lists") {
    Group group(Shape::uniform, 1, 4, 6007, 10);
    group.connect(starfmm::geometry_set().get<starfmm::ConnectTask>().cpu());
    const Words expected = group.lists;
    for (const GeometryVariant& variant : geometry_variants()) {
        CAPTURE(variant.name);
        group.connect(body<starfmm::ConnectTask>(variant.bodies));
        CHECK(group.lists == expected);
    }
}
