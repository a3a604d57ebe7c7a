// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/connect_group.hpp"

namespace {

using starfmm::Coupling;
using starfmm::ListCounts;
using starfmm::ListLayout;
using starfmm::Pyramid;

/// Counts how often each source leaf of every slot meets target leaf `leaf`, by any list.
template <int D>
std::vector<int> meetings(PyramidGroup<D>& group, std::size_t leaf) {
    const Pyramid<D> tree = group.tree();
    std::vector<int> count(group.sources.size() * tree.leaves());
    const auto add = [&](const starfmm::ListView& list, std::size_t row, int level) {
        const std::size_t leaves = starfmm::n_boxes<D>(tree.last - level);
        for (std::uint32_t i = list.offsets[row]; i < list.offsets[row + 1]; ++i) {
            for (std::size_t c = 0; c < leaves; ++c) {
                ++count.at(list.boxes[i] * leaves + c);
            }
        }
    };
    std::uint32_t* data = group.lists.data();
    for (int level = tree.first; level <= tree.last; ++level) {
        add(group.args.lists.far(data),
            tree.offset(level) + (leaf >> (D * (tree.last - level))),
            level);
    }
    add(group.args.lists.near(data), leaf, tree.last);
    add(group.args.lists.p2l(data), leaf, tree.last);
    add(group.args.lists.m2p(data), leaf, tree.last);
    return count;
}

template <int D>
void check_covered_once(PyramidGroup<D>& group) {
    REQUIRE(group.counts[0].overflow == 0);
    for (std::size_t leaf = 0; leaf < group.tree().leaves(); ++leaf) {
        const std::vector<int> counts = meetings(group, leaf);
        CHECK(std::count(counts.begin(), counts.end(), 1) == std::ssize(counts));
    }
}

template <int D>
void check_pairs(int most_levels) {
    for (const Shape shape : shapes) {
        for (const int first : {0, 1}) {
            for (const int last : {first, first + 1, first + most_levels}) {
                CAPTURE(D);
                CAPTURE(last);
                PyramidGroup<D> group(shape, first, last, 6007, 10);
                group.connect();
                check_covered_once(group);
            }
        }
    }
}

template <int D>
void check_far(int last) {
    PyramidGroup<D> group(Shape::uniform, 1, last, 6007, 10);
    group.connect();
    const Pyramid<D> tree = group.tree();
    const auto far = group.args.lists.far(group.lists.data());
    const auto separation = [&](int level, std::size_t box, std::uint32_t reference) {
        const auto a = group.target(level, box);
        const auto b = group.source(level, reference);
        const double d = length(a.centre - b.centre);
        const double larger = std::max(a.radius, b.radius);
        const double smaller = std::min(a.radius, b.radius);
        return larger + 0.5 * smaller - 0.5 * d; // [GE12 Eq 2.1]: well separated where <= 0
    };
    const double rounding = 8 * roundoff<double>;
    std::size_t n_far = 0;
    for (int level = tree.first; level <= tree.last; ++level) {
        for (std::size_t box = 0; box < tree.boxes(level); ++box) {
            const std::size_t row = tree.offset(level) + box;
            for (std::uint32_t i = far.offsets[row]; i < far.offsets[row + 1]; ++i) {
                CHECK(separation(level, box, far.boxes[i]) <= rounding);
                if (level > tree.first + 1) {
                    CHECK(separation(level - 1, box >> D, far.boxes[i] >> D) >= -rounding);
                }
                ++n_far;
            }
        }
    }
    CHECK(n_far == group.counts[0].far);
    CHECK(n_far > 0);
}

/// Checks which pairs of leaves are near, and which use P2L and M2P.
/// \param n number of points, large enough that leaves take either way
template <int D>
void check_leaf_lists(int last, std::size_t n, int order) {
    using List = starfmm::ListView (ListLayout::*)(std::uint32_t*) const;
    PyramidGroup<D> group(Shape::uniform, 0, last, n, order);
    const std::size_t n_leaves = group.tree().leaves();
    // sizes of leaves differ by a lot where their points do: some leaves shrink to a spot
    for (std::size_t leaf = 0; leaf + 1 < n_leaves; leaf += 3) {
        group.targets[group.radius(last, leaf)] *= 0.01;
        group.sources[0][group.radius(last, leaf + 1)] *= 0.01;
    }
    group.connect();
    check_covered_once(group);
    const std::pair<List, Coupling> lists[] = {
        {&ListLayout::near, Coupling::near},
        {&ListLayout::p2l, Coupling::p2l},
        {&ListLayout::m2p, Coupling::m2p}};
    for (const auto& [list, coupling] : lists) {
        const auto view = (group.args.lists.*list)(group.lists.data());
        CHECK(view.offsets[n_leaves] > 0);
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            for (std::uint32_t i = view.offsets[leaf]; i < view.offsets[leaf + 1]; ++i) {
                const std::uint32_t other = view.boxes[i];
                const Coupling expected = starfmm::leaf_coupling(
                    group.source(last, other),
                    group.target(last, leaf),
                    0.5,
                    group.target_offsets[other + 1] - group.target_offsets[other],
                    group.target_offsets[leaf + 1] - group.target_offsets[leaf],
                    order
                );
                CHECK(expected == coupling);
            }
        }
    }
}

template <int D>
void check_counts() {
    PyramidGroup<D> group(Shape::clustered, 1, 3, 5003, 4);
    group.connect();
    const ListCounts& counts = group.counts[0];
    const ListLayout& layout = group.args.lists;
    std::uint32_t* data = group.lists.data();
    const std::size_t leaves = group.tree().leaves();
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
                starfmm::slot_pyramid<D>(group.args, static_cast<std::uint32_t>(slot));
            const std::size_t box = near.boxes[i] % leaves;
            const std::uint64_t n = tree.begin(5003, 3, box + 1) - tree.begin(5003, 3, box);
            pairs += n * (group.target_offsets[leaf + 1] - group.target_offsets[leaf]);
        }
    }
    CHECK(counts.p2p_pairs == pairs);
}

template <int D>
void check_empty_boxes() {
    PyramidGroup<D> group(Shape::uniform, 0, 2, 1000, 10);
    group.targets[group.radius(2, 5)] = -1;
    group.targets[group.radius(1, 2)] = -1;
    group.connect();
    for (std::size_t leaf = 0; leaf < group.tree().leaves(); ++leaf) {
        const bool empty = leaf == 5 || leaf >> D == 2;
        for (const int count : meetings(group, leaf)) {
            CHECK(count == (empty ? 0 : 1));
        }
    }
}

template <int D>
void check_too_small_lists() {
    PyramidGroup<D> group(Shape::uniform, 0, 3, 3000, 10);
    group.connect();
    const ListCounts counts = group.counts[0];
    group.args.lists.far_capacity = counts.far - 1;
    group.connect();
    CHECK(group.counts[0].overflow != 0);
    CHECK(group.counts[0].far == counts.far);
    while (group.counts[0].overflow != 0) {
        group.args.lists.far_capacity *= 2;
        group.connect();
    }
    check_covered_once(group);
    group.args.lists.near_capacity = counts.near - 1;
    group.connect();
    CHECK(group.counts[0].overflow != 0);
}

template <int D>
void check_instruction_sets(int last) {
    PyramidGroup<D> group(Shape::uniform, 1, last, 6007, 10);
    group.connect();
    const Words expected = group.lists;
    for (const GeometryVariant& variant : geometry_variants<D>()) {
        CAPTURE(D);
        CAPTURE(variant.name);
        group.connect(body<starfmm::ConnectTask>(variant.bodies));
        CHECK(group.lists == expected);
    }
}

} // namespace

TEST_CASE("connect: every pair of leaves exactly once") {
    check_pairs<2>(3);
}

TEST_CASE("connect: far boxes are separated, their parents are not") {
    check_far<2>(4);
}

TEST_CASE("connect: the leaves' lists follow the swapped criterion") {
    check_leaf_lists<2>(4, 6007, 3);
}

TEST_CASE("connect: counts are those of the lists") {
    check_counts<2>();
}

TEST_CASE("connect: boxes without points meet nobody") {
    check_empty_boxes<2>();
}

TEST_CASE("connect: too small lists are reported, not overrun") {
    check_too_small_lists<2>();
}

TEST_CASE("connect: instruction sets find the same lists") {
    check_instruction_sets<2>(4);
}
