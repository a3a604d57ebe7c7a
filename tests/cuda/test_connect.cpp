// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/connect_group.hpp"

namespace {

/// Returns the used offsets and entries of a list.
Words used(const starfmm::ListView& list, std::size_t n_rows) {
    Words words(list.offsets, list.offsets + n_rows + 1);
    words.insert(words.end(), list.boxes, list.boxes + words.back());
    return words;
}

template <int D>
std::vector<Words> lists_of(PyramidGroup<D>& group) {
    const starfmm::ListLayout& layout = group.args.lists;
    std::uint32_t* data = group.lists.data();
    return {
        used(layout.far(data), layout.n_boxes),
        used(layout.near(data), layout.n_leaves),
        used(layout.p2l(data), layout.n_leaves),
        used(layout.m2p(data), layout.n_leaves)};
}

template <int D>
void check_connect(PyramidGroup<D> group) {
    group.connect(body<starfmm::ConnectTask>(cpu_geometry<D>()));
    REQUIRE(group.counts[0].overflow == 0);
    const auto expected = lists_of(group);
    const auto expected_numbers = numbers(group.counts[0]);
    group.template connect<DeviceBuffers>(body<starfmm::ConnectTask>(gpu_geometry<D>()));
    CHECK(numbers(group.counts[0]) == expected_numbers);
    CHECK(lists_of(group) == expected);
}

template <int D>
void check_shapes(int most_levels) {
    for (const Shape shape : shapes) {
        for (const int first : {0, 1}) {
            for (int last = first; last <= first + most_levels; ++last) {
                CAPTURE(D);
                CAPTURE(last);
                check_connect(PyramidGroup<D>(shape, first, last, 6007, 10));
            }
        }
    }
}

/// Sets the room of the lists, in entries for each box and each leaf.
void set_capacities(starfmm::ListLayout& lists, std::uint64_t far, std::uint64_t near) {
    lists.far_capacity = far * lists.n_boxes;
    lists.near_capacity = near * lists.n_leaves;
}

template <int D>
void check_many_rows(int last, std::size_t n, std::uint64_t far, std::uint64_t near) {
    PyramidGroup<D> group(Shape::uniform, 0, last, n, 2);
    for (std::size_t leaf = 0; leaf < group.tree().leaves(); leaf += 3) {
        group.sources[0][group.radius(last, leaf)] *= 0.01;
    }
    set_capacities(group.args.lists, far, near);
    check_connect(std::move(group));
}

template <int D>
void check_large_boxes(int last, std::uint64_t far, std::uint64_t near) {
    PyramidGroup<D> group(Shape::uniform, 0, last, 10'000, 10);
    for (int level = 0; level <= last; ++level) {
        for (std::size_t box = 0; box < std::min<std::size_t>(12, group.tree().boxes(level));
             ++box) {
            group.targets[group.radius(level, box)] *= 1000;
        }
    }
    set_capacities(group.args.lists, far, near);
    check_connect(std::move(group));
}

template <int D>
void check_too_small_lists() {
    PyramidGroup<D> group(Shape::uniform, 0, 3, 3000, 10);
    const auto gpu = body<starfmm::ConnectTask>(gpu_geometry<D>());
    group.connect(body<starfmm::ConnectTask>(cpu_geometry<D>()));
    const starfmm::ListCounts counts = group.counts[0];
    group.args.lists.far_capacity = counts.far - 1;
    group.template connect<DeviceBuffers>(gpu);
    CHECK(group.counts[0].overflow != 0);
    CHECK(group.counts[0].far == counts.far);
    group.args.lists.far_capacity = counts.far;
    group.args.lists.near_capacity = counts.near - 1;
    group.template connect<DeviceBuffers>(gpu);
    CHECK(group.counts[0].overflow != 0);
}

} // namespace

TEST_CASE("connect: CUDA gives the CPU's lists") {
    check_shapes<2>(3);
}

TEST_CASE("connect: CUDA gives the CPU's lists of many rows") {
    // more parents than a GPU has warps; leaves that meet through P2L and M2P
    check_many_rows<2>(7, 150'000, 48, 20);
}

TEST_CASE("connect: CUDA gives the CPU's lists of large boxes") {
    // no box is well separated from these: the warps of a block share their candidates
    check_large_boxes<2>(6, 80, 40);
}

TEST_CASE("connect: CUDA reports too small lists") {
    check_too_small_lists<2>();
}
