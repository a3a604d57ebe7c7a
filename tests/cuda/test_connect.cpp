// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/device_buffers.hpp"
#include "tests/support/connect_group.hpp"

namespace {

/// Offsets and entries of a list.
Words used(const starfmm::ListView& list, std::size_t n_rows) {
    Words words(list.offsets, list.offsets + n_rows + 1);
    words.insert(words.end(), list.boxes, list.boxes + words.back());
    return words;
}

std::vector<Words> lists_of(Group& group) {
    const starfmm::ListLayout& layout = group.args.lists;
    std::uint32_t* data = group.lists.data();
    return {
        used(layout.far(data), layout.n_boxes),
        used(layout.near(data), layout.n_leaves),
        used(layout.p2l(data), layout.n_leaves),
        used(layout.m2p(data), layout.n_leaves)};
}

std::vector<std::uint64_t> numbers(const starfmm::ListCounts& counts) {
    return {
        counts.far,
        counts.near,
        counts.p2l,
        counts.m2p,
        counts.p2p_pairs,
        counts.p2l_pairs,
        counts.m2p_pairs,
        counts.overflow};
}

void check_connect(Group group) {
    group.connect(body<starfmm::ConnectTask>(cpu_geometry()));
    REQUIRE(group.counts[0].overflow == 0);
    const auto expected = lists_of(group);
    const auto expected_numbers = numbers(group.counts[0]);
    group.connect<DeviceBuffers>(body<starfmm::ConnectTask>(gpu_geometry()));
    CHECK(numbers(group.counts[0]) == expected_numbers);
    CHECK(lists_of(group) == expected);
}

/// Multiplies the radii of the first `n` targets of each level.
void grow_targets(Group& group, double factor, std::size_t n) {
    const auto tree = starfmm::pyramid_of<2>(group.args);
    for (int level = tree.first; level <= tree.last; ++level) {
        for (std::size_t box = 0; box < std::min(n, tree.boxes(level)); ++box) {
            group.targets[2 * tree.total_boxes() + tree.offset(level) + box] *= factor;
        }
    }
}

} // namespace

TEST_CASE("connect: CUDA gives the CPU's lists") {
    for (const Shape shape : shapes) {
        for (const int first : {0, 1}) {
            for (const int last : {first, first + 1, first + 2, first + 3}) {
                CAPTURE(last);
                check_connect(Group(shape, first, last, 6007, 10));
            }
        }
    }
}

TEST_CASE("connect: CUDA gives the CPU's lists of many rows") {
    // more parents than a GPU has warps; leaves that meet through P2L and M2P
    Group group(Shape::uniform, 0, 7, 150'000, 2);
    for (std::size_t leaf = 0; leaf < pyramid_of<2>(group.args).leaves(); leaf += 3) {
        const std::size_t n = pyramid_of<2>(group.args).total_boxes();
        group.sources[0][2 * n + pyramid_of<2>(group.args).offset(7) + leaf] *= 0.01;
    }
    group.args.lists.far_capacity = 48 * pyramid_of<2>(group.args).total_boxes();
    group.args.lists.near_capacity = 20 * pyramid_of<2>(group.args).leaves();
    check_connect(std::move(group));
}

TEST_CASE("connect: CUDA gives the CPU's lists of large boxes") {
    // nothing is separated from them: the warps of a block share their candidates
    Group group(Shape::uniform, 0, 6, 10'000, 10);
    grow_targets(group, 1000, 12);
    group.args.lists.far_capacity = 80 * pyramid_of<2>(group.args).total_boxes();
    group.args.lists.near_capacity = 40 * pyramid_of<2>(group.args).leaves();
    check_connect(std::move(group));
}

TEST_CASE("connect: CUDA reports too small lists") {
    Group group(Shape::uniform, 0, 3, 3000, 10);
    group.connect(body<starfmm::ConnectTask>(cpu_geometry()));
    const starfmm::ListCounts counts = group.counts[0];
    group.args.lists.far_capacity = counts.far - 1;
    group.connect<DeviceBuffers>(body<starfmm::ConnectTask>(gpu_geometry()));
    CHECK(group.counts[0].overflow != 0);
    CHECK(group.counts[0].far == counts.far);
    group.args.lists.far_capacity = counts.far;
    group.args.lists.near_capacity = counts.near - 1;
    group.connect<DeviceBuffers>(body<starfmm::ConnectTask>(gpu_geometry()));
    CHECK(group.counts[0].overflow != 0);
}
