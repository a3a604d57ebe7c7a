// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/pairs/p2p.hpp"
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/orthtree_run.hpp"
#include "tests/support/shapes.hpp"

namespace {

/// Targets at a scene's leaves that are not its sources.
template <class K>
struct Targets {
    std::vector<double> positions; ///< [2 n]
    Words offsets;                 ///< [leaves + 1]
};

/// Returns rows in which every leaf meets every leaf.
Rows all_pairs(std::size_t n_leaves) {
    Rows rows(n_leaves, Rows::value_type(n_leaves));
    for (auto& row : rows) {
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            row[leaf] = static_cast<starfmm::BoxReference>(leaf);
        }
    }
    return rows;
}

template <class K>
void check_p2p(Scene<K>& scene, Targets<K> targets, const Rows& rows) {
    using Real = typename K::Real;
    std::size_t n_entries = 0;
    for (const auto& row : rows) {
        n_entries += row.size();
    }
    const std::size_t n = targets.positions.size() / 2;
    scene.args.n_targets = n;
    scene.args.lists = {scene.n_boxes(), rows.size(), 1, n_entries};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.near(lists.data()), rows);
    check_bodies<Real>(
        body<starfmm::P2PTask>(bodies<K>()),
        body<starfmm::P2PTask>(gpu_bodies<K>()),
        scene.args,
        Random(9).numbers<Real>(starfmm::n_value_components<K> * n), // to be overwritten
        lists,
        targets.positions,
        targets.offsets,
        scene.positions,
        scene.strengths
    );
}

/// Checks P2P where the sources are the targets.
template <class K>
void check_p2p(Scene<K>& scene, const Rows& rows) {
    check_p2p(scene, Targets<K>{scene.positions, scene.offsets}, rows);
}

/// Checks P2P of all right-hand sides at once.
template <class K>
void check_columns(Scene<K>& scene, std::uint32_t n_columns, const Rows& rows) {
    using Real = typename K::Real;
    scene.args.columns = n_columns;
    scene.args.lists = {scene.n_boxes(), rows.size(), 1, rows.size() * rows[0].size()};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.near(lists.data()), rows);
    const auto strengths = [&](std::uint64_t seed) { // a buffer a right-hand side
        return Random(seed).numbers<Real>(starfmm::n_strength_components<K> * scene.n());
    };
    const std::size_t n = scene.n() * n_columns;
    check_bodies<Real>(
        body<starfmm::P2PColumnsTask>(bodies<K>()),
        body<starfmm::P2PColumnsTask>(gpu_bodies<K>()),
        scene.args,
        Random(9).numbers<Real>(starfmm::n_value_components<K> * n), // to be overwritten
        lists,
        scene.positions,
        scene.offsets,
        scene.positions,
        strengths(8),
        strengths(9),
        strengths(10),
        strengths(11)
    );
}

/// Sums each pair once, whatever the number of leaves.
template <class K>
void both_ways(void* buffers[], void* args) {
    starfmm::TaskBuffers taken(buffers, args);
    starfmm::p2p_mutual(starfmm::P2PTask<K>::of(taken));
}

/// Checks P2P where sources and targets are one set of buffers, unlike `check_p2p`.
template <class K>
void check_one_set(starfmm::BodyFunction gpu, Scene<K>& scene, const Rows& rows) {
    using Real = typename K::Real;
    std::size_t n_entries = 0;
    for (const auto& row : rows) {
        n_entries += row.size();
    }
    scene.args.lists = {scene.n_boxes(), rows.size(), 1, n_entries};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.near(lists.data()), rows);
    auto expected = scene.no_values();
    auto near = Random(9).numbers<Real>(expected.size()); // to be overwritten
    const auto run = [&](auto caller, starfmm::BodyFunction function, auto& values) {
        auto& s = scene;
        caller(function, s.args, values, lists, s.positions, s.offsets, s.positions, s.strengths);
    };
    run([](auto&... all) { call(all...); }, body<starfmm::P2PTask>(bodies<K>()), expected);
    run([](auto&... all) { call_on_gpu(all...); }, gpu, near);
    check_close<Real>(near, expected);
}

/// Returns rows in which each leaf meets itself and some others, which meet it: `n_near` entries on
/// average.
Rows symmetric_rows(std::size_t n_leaves, std::size_t n_near) {
    Random random(5);
    Rows rows(n_leaves);
    for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
        rows[leaf].push_back(leaf);
        for (std::size_t i = 0; i < (n_near - 1) / 2; ++i) {
            const auto other = static_cast<std::uint32_t>(random(0, double(n_leaves)));
            auto& row = rows[leaf];
            if (std::find(row.begin(), row.end(), other) == row.end()) {
                row.push_back(other);
                rows[other].push_back(leaf);
            }
        }
    }
    return rows;
}

} // namespace

TEST_CASE_TEMPLATE("p2p: CUDA agrees with the CPU", K, DOCTEST_TEST_POINT_KERNELS) {
    for (const std::size_t n : {2, 3, 31, 257, 720, 1025, 4500}) {
        for (const int levels : {0, 1, 2, 3}) { // up to 64 entries a row
            CAPTURE(n);
            CAPTURE(levels);
            Scene<K> scene(levels, n, 1);
            check_p2p(scene, all_pairs(pyramid_of<2>(scene.args).leaves()));
        }
    }
}

TEST_CASE_TEMPLATE("p2p: CUDA, several right-hand sides", K, DOCTEST_TEST_POINT_KERNELS) {
    for (const std::uint32_t n_columns : {2U, 3U, 4U}) {
        for (const std::size_t n : {4, 31, 257, 1025, 4500}) {
            for (const int levels : {0, 1, 3}) {
                CAPTURE(n_columns);
                CAPTURE(n);
                CAPTURE(levels);
                Scene<K> scene(levels, n, 1);
                check_columns(scene, n_columns, all_pairs(pyramid_of<2>(scene.args).leaves()));
            }
        }
    }
}

TEST_CASE_TEMPLATE("p2p: CUDA with leaves of every size", K, DOCTEST_TEST_POINT_KERNELS) {
    for (std::size_t size = 1; size <= 70; ++size) {
        CAPTURE(size);
        Scene<K> scene(1, 4 * size, 1);
        check_p2p(scene, {{0, 1}, {1}, {3, 2, 1, 0}, {0, 3}});
    }
}

TEST_CASE_TEMPLATE("p2p: CUDA with many leaves, most lists empty", K, DOCTEST_TEST_POINT_KERNELS) {
    Scene<K> scene(7, 60000, 1); // a warp a leaf
    Rows rows(pyramid_of<2>(scene.args).leaves());
    for (std::uint32_t leaf = 0; leaf < rows.size(); leaf += 3) {
        rows[leaf] = {leaf, leaf / 2};
    }
    check_p2p(scene, rows);
}

TEST_CASE_TEMPLATE("p2p: CUDA with targets spread unevenly", K, DOCTEST_TEST_POINT_KERNELS) {
    for (const std::uint32_t most : {1U, 64U, 255U, 256U, 257U, 5000U}) {
        CAPTURE(most);
        Scene<K> scene(1, 200, 1);
        const Words offsets{0, 0, most, most, most + 3};
        const auto positions = Random(4).numbers<double>(2 * offsets.back(), 0, 1);
        check_p2p(scene, {positions, offsets}, all_pairs(4));
    }
}

TEST_CASE_TEMPLATE("p2p: CUDA with sources of other groups", K, DOCTEST_TEST_POINT_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(0, 90, 1);
    Scene<K> other(0, 90, 1, 2);
    Words lists = near_to_first_group(scene);
    check_bodies<Real>(
        body<starfmm::P2PTask>(bodies<K>()),
        body<starfmm::P2PTask>(gpu_bodies<K>()),
        scene.args,
        scene.no_values(),
        lists,
        scene.positions,
        scene.offsets,
        scene.positions,
        scene.strengths,
        other.positions,
        other.strengths
    );
}

TEST_CASE_TEMPLATE("p2p: CUDA leaves coincident points out", K, DOCTEST_TEST_POINT_KERNELS) {
    Scene<K> scene(1, 180, 1);
    for (std::size_t i = 0; i + 45 < 180; i += 2) { // in one leaf, and in different ones
        scene.positions[i] = scene.positions[i + 1] = scene.positions[i + 45];
        scene.positions[180 + i] = scene.positions[180 + i + 1] = scene.positions[180 + i + 45];
    }
    check_p2p(scene, all_pairs(4));
    std::fill_n(scene.positions.begin(), 180, scene.positions[0]);
    std::fill_n(scene.positions.begin() + 180, 180, scene.positions[180]);
    const auto rows = all_pairs(4);
    scene.args.lists = {scene.n_boxes(), 4, 1, 16};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.near(lists.data()), rows);
    auto near = Random(9).numbers<typename K::Real>(scene.no_values().size());
    call_on_gpu(
        body<starfmm::P2PTask>(gpu_bodies<K>()),
        scene.args,
        near,
        lists,
        scene.positions,
        scene.offsets,
        scene.positions,
        scene.strengths
    );
    for (const auto value : near) {
        CHECK(value == 0);
    }
}

TEST_CASE_TEMPLATE("p2p: CUDA with clusters far apart", K, DOCTEST_TEST_POINT_KERNELS) {
    Scene<K> scene(1, 180, 1);
    for (std::size_t i = 0; i < 180; ++i) {
        scene.positions[i] = scene.positions[i] * 1e-10 + static_cast<double>(i % 2);
        scene.positions[180 + i] *= 1e-10;
    }
    check_p2p(scene, all_pairs(4));
}

TEST_CASE_TEMPLATE("p2p: CUDA both ways agrees with the CPU", K, DOCTEST_TEST_POINT_KERNELS) {
    for (const std::size_t n : {2, 3, 31, 257, 720, 1025, 4500}) {
        for (const int levels : {0, 1, 2, 3}) { // up to 64 entries a row, some leaves empty
            CAPTURE(n);
            CAPTURE(levels);
            Scene<K> scene(levels, n, 1);
            check_one_set(both_ways<K>, scene, all_pairs(pyramid_of<2>(scene.args).leaves()));
        }
    }
}

TEST_CASE_TEMPLATE("p2p: CUDA both ways with leaves of every size", K, DOCTEST_TEST_POINT_KERNELS) {
    for (std::size_t size = 1; size <= 700; size += size < 70 ? 1 : 83) {
        for (const std::size_t more : {0, 1, 3}) { // leaves that differ by one
            CAPTURE(size);
            CAPTURE(more);
            Scene<K> scene(1, 4 * size + more, 1);
            check_one_set(both_ways<K>, scene, {{0, 1, 3}, {0, 1}, {3, 2}, {2, 3, 0}});
        }
    }
}

TEST_CASE_TEMPLATE("p2p: CUDA agrees with the CPU on quadtrees", K, DOCTEST_TEST_POINT_KERNELS) {
    using Real = typename K::Real;
    for (const char* shape : {"uniform", "normal", "line", "clusters"}) {
        for (const std::uint32_t leaf_size : {12, 90, 600}) {
            CAPTURE(shape);
            CAPTURE(leaf_size);
            OrthtreeRun<Buffers> tree(cpu_geometry(), make_shape(shape, 3000, 1), {}, leaf_size);
            tree.connect(500'000, 500'000);
            REQUIRE(tree.counts[0].overflow == 0);
            tree.args.n_targets = 3000;
            const std::size_t parts = starfmm::has_complex_strength<K> ? 2 : 1;
            check_bodies<Real>(
                body<starfmm::P2PTask>(bodies<K>()),
                body<starfmm::P2PTask>(gpu_bodies<K>()),
                tree.args,
                Random(9).numbers<Real>(starfmm::n_value_components<K> * 3000), // overwritten
                tree.lists,
                tree.points[0].positions,
                tree.points[0].offsets,
                tree.points[0].positions,
                Random(3).numbers<Real>(parts * 3000),
                tree.points[0].boxes
            );
        }
    }
}

TEST_CASE_TEMPLATE(
    "p2p: CUDA cuts long rows of leaves of any size", K, DOCTEST_TEST_POINT_KERNELS
) {
    using Real = typename K::Real;
    OrthtreeRun<Buffers> tree(cpu_geometry(), make_shape("uniform", 3000, 1), {}, 8);
    tree.connect(500'000, 500'000);
    const std::size_t n_leaves = tree.args.orthtree.n_leaves;
    REQUIRE(n_leaves > 600);
    const std::size_t long_rows[]{3, n_leaves - 1};
    Rows rows = all_pairs(n_leaves);
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        if (std::ranges::find(long_rows, leaf) == std::end(long_rows)) {
            rows[leaf] = {static_cast<starfmm::BoxReference>(leaf)};
        }
    }
    tree.args.lists = {tree.args.orthtree.n_boxes, n_leaves, 1, 3 * n_leaves};
    Words lists(tree.args.lists.words());
    fill_list(tree.args.lists.near(lists.data()), rows);
    for (const std::uint32_t most : {1U, 128U, 129U, 300U, 1000U}) {
        CAPTURE(most);
        Words offsets(n_leaves + 1);
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            const bool is_long = std::ranges::find(long_rows, leaf) != std::end(long_rows);
            offsets[leaf + 1] = offsets[leaf] + (is_long ? most : 1);
        }
        const std::size_t n = offsets.back();
        tree.args.n_targets = n;
        const std::size_t parts = starfmm::has_complex_strength<K> ? 2 : 1;
        check_bodies<Real>(
            body<starfmm::P2PTask>(bodies<K>()),
            body<starfmm::P2PTask>(gpu_bodies<K>()),
            tree.args,
            Random(9).numbers<Real>(starfmm::n_value_components<K> * n), // overwritten
            lists,
            Random(4).numbers<double>(2 * n, 0, 1),
            offsets,
            tree.points[0].positions,
            Random(3).numbers<Real>(parts * 3000),
            tree.points[0].boxes
        );
    }
}

TEST_CASE_TEMPLATE("p2p: CUDA both ways, no leaf in its own list", K, DOCTEST_TEST_POINT_KERNELS) {
    Scene<K> scene(1, 183, 1);
    check_one_set(both_ways<K>, scene, {{1, 3}, {0}, {}, {0}});
}

TEST_CASE_TEMPLATE(
    "p2p: CUDA both ways with lists longer than a warp", K, DOCTEST_TEST_POINT_KERNELS
) {
    Scene<K> scene(4, 2500, 1);
    check_one_set(both_ways<K>, scene, symmetric_rows(256, 90));
}

TEST_CASE_TEMPLATE("p2p: CUDA with one set and many leaves", K, DOCTEST_TEST_POINT_KERNELS) {
    for (const std::size_t n : {16384 * 5 + 77, 16384 * 24 - 1}) {
        CAPTURE(n);
        Scene<K> scene(7, n, 1);
        check_one_set(body<starfmm::P2PTask>(gpu_bodies<K>()), scene, symmetric_rows(16384, 11));
    }
}

TEST_CASE_TEMPLATE(
    "p2p: CUDA both ways with sources of other groups", K, DOCTEST_TEST_POINT_KERNELS
) {
    using Real = typename K::Real;
    Scene<K> scene(0, 90, 1);
    Scene<K> other(0, 90, 1, 2);
    Words lists = near_to_first_group(scene);
    const auto run = [&](auto caller, starfmm::BodyFunction body) {
        auto near = Random(9).numbers<Real>(scene.no_values().size());
        auto& s = scene;
        caller(
            body,
            s.args,
            near,
            lists,
            s.positions,
            s.offsets,
            s.positions,
            s.strengths,
            other.positions,
            other.strengths
        );
        return near;
    };
    const auto near = run([](auto&... all) { call_on_gpu(all...); }, both_ways<K>);
    check_close<Real>(
        near, run([](auto&... all) { call(all...); }, body<starfmm::P2PTask>(bodies<K>()))
    );
}

TEST_CASE_TEMPLATE(
    "p2p: CUDA both ways leaves coincident points out", K, DOCTEST_TEST_POINT_KERNELS
) {
    Scene<K> scene(1, 180, 1);
    for (std::size_t i = 0; i + 45 < 180; i += 2) { // in one leaf, and in different ones
        scene.positions[i] = scene.positions[i + 1] = scene.positions[i + 45];
        scene.positions[180 + i] = scene.positions[180 + i + 1] = scene.positions[180 + i + 45];
    }
    check_one_set(both_ways<K>, scene, all_pairs(4));
}

TEST_CASE_TEMPLATE("p2p: CUDA both ways with clusters far apart", K, DOCTEST_TEST_POINT_KERNELS) {
    Scene<K> scene(1, 180, 1);
    for (std::size_t i = 0; i < 180; ++i) {
        scene.positions[i] = scene.positions[i] * 1e-10 + static_cast<double>(i % 2);
        scene.positions[180 + i] *= 1e-10;
    }
    check_one_set(both_ways<K>, scene, all_pairs(4));
}
