// SPDX-License-Identifier: BSD-3-Clause
// Checks of what the operators of kernels of space must sum up are written here for bodies of any
// kind.
#pragma once

#include "tests/support/space/space_run.hpp"

/// Checks P2M, M2M, M2L, L2L and L2P on both kinds of tree.
template <class BufferSet, class K>
void check_far_field(const starfmm::KernelBodies& bodies) {
    for (const std::size_t n : {1, 7, 64, 500}) {
        CAPTURE(n);
        const Scene<K> scene(2, n, 2);
        SpaceRun<BufferSet, K> run(bodies, scene);
        check_sums<K>(scene, {&scene}, run.far_results(pyramid_rows()));
    }
    const OctreeScene<K> octree(2);
    SpaceRun<BufferSet, K> run(bodies, octree);
    check_sums<K>(octree, {&octree}, run.far_results(octree_rows()));
}

/// Checks P2L, M2P, P2P and gather on both kinds of tree.
template <class BufferSet, class K>
void check_leaves(const starfmm::KernelBodies& bodies, starfmm::BodyFunction gather) {
    for (const std::size_t n : {1, 7, 64, 500}) {
        CAPTURE(n);
        const Scene<K> scene(1, n, 2);
        SpaceRun<BufferSet, K> run(bodies, scene);
        check_sums<K>(scene, {&scene}, run.leaf_results(gather));
    }
    const OctreeScene<K> octree(2);
    SpaceRun<BufferSet, K> run(bodies, octree);
    check_sums<K>(octree, {&octree}, run.leaf_results(gather));
}

/// Checks direct sums of two blocks of sources.
template <class BufferSet, class K>
void check_direct_sums(const starfmm::KernelBodies& bodies) {
    for (const std::size_t m : {1, 31, 64, 131}) {
        CAPTURE(m);
        SpaceRun<BufferSet, K> targets(bodies, Scene<K>(0, m, 2));
        Scene<K> sources(0, 100, 2, 2);
        Scene<K> others(0, 7, 2, 3);
        auto values = targets.scene.no_values();
        for (Scene<K>* block : {&sources, &others}) {
            targets.template run<starfmm::DirectTask>(
                values, targets.scene.positions, block->positions, block->strengths
            );
        }
        check_sums<K>(targets.scene, {&sources, &others}, values);
    }
}

/// Checks sums of points that are close to each other, far from the origin.
template <class BufferSet, class K>
void check_close_points(const starfmm::KernelBodies& bodies) {
    constexpr double extent = 0x1p-20;
    SpaceRun<BufferSet, K> run(bodies, Scene<K>(0, 77, 2));
    Scene<K>& scene = run.scene;
    for (double& x : scene.positions) {
        x = 0.7 + extent * x;
    }
    auto values = scene.no_values();
    run.template run<starfmm::DirectTask>(
        values, scene.positions, scene.positions, scene.strengths
    );
    check_sums<K>(scene, {&scene}, values, extent);
}

/// Checks P2P and M2L with a second group's sources.
template <class BufferSet, class K>
void check_groups(const starfmm::KernelBodies& bodies) {
    SpaceRun<BufferSet, K> near(bodies, Scene<K>(0, 40, 2));
    Scene<K>& s = near.scene;
    Scene<K> other(0, 40, 2, 2);
    near.lists = near_to_first_group(s);
    auto results = s.no_values();
    near.template run<starfmm::P2PTask>(
        results,
        near.lists,
        s.positions,
        s.offsets,
        s.positions,
        s.strengths,
        other.positions,
        other.strengths
    );
    check_sums<K>(s, {&s, &other}, results);

    SpaceRun<BufferSet, K> own(bodies, Scene<K>(1, 200, 2));
    SpaceRun<BufferSet, K> beside(bodies, Scene<K>(1, 200, 2, 2));
    auto multipoles = own.m2m(own.p2m());
    auto others = beside.m2m(beside.p2m());
    Rows rows(9, {0, 1, 2, 3, 4, 5, 6, 7});
    rows[0] = {1}; // slot 1's root, of a level of one box
    own.scene.args.n_slots = 2;
    auto boxes = own.scene.boxes;
    const auto locals = own.m2l(rows, multipoles, boxes, others, beside.scene.boxes);
    check_sums<K>(own.scene, {&own.scene, &beside.scene}, own.l2p(own.l2l(locals)));
}

/// Checks M2M into a top of eight groups.
template <class BufferSet, class K>
void check_top(const starfmm::KernelBodies& bodies) {
    using Coefficients = typename SpaceRun<BufferSet, K>::Coefficients;
    const auto n = static_cast<std::size_t>(K::n_coefficients(2));
    SpaceRun<BufferSet, K> top(bodies, Scene<K>(1, 100, 2));
    const Coefficients leaves = top.p2m();
    const Coefficients expected = top.m2m(leaves);
    auto& args = top.scene.args;
    args.n_slots = 8;
    BufferSet buffers;
    auto multipoles = Random(5).coefficients<K>(leaves.size()); // to be overwritten
    buffers.add(multipoles).add(top.scene.boxes);
    std::vector<Coefficients> roots(8);
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
        args.slots[slot] = 7 - slot; // in any order
        const auto* begin = leaves.data() + (1 + args.slots[slot]) * n;
        roots[slot].assign(begin, begin + n);
        buffers.add(roots[slot]);
    }
    buffers.call(body<starfmm::M2MTopTask>(bodies), args);
    CHECK(std::equal(multipoles.begin(), multipoles.begin() + 9 * n, expected.begin()));
}

/// Checks M2M and L2L of a group below a top.
template <class BufferSet, class K>
void check_below_top(const starfmm::KernelBodies& bodies) {
    using Coefficients = typename SpaceRun<BufferSet, K>::Coefficients;
    const auto n = static_cast<std::size_t>(K::n_coefficients(2));
    SpaceRun<BufferSet, K> group(bodies, Scene<K>(1, 100, 2));
    const Coefficients leaves = group.p2m();
    const Coefficients expected = group.m2m(leaves);
    auto multipole = leaves;
    Coefficients root(n);
    group.template run<starfmm::M2MTask>(multipole, group.scene.boxes, root);
    CHECK(std::equal(root.begin(), root.end(), expected.begin()));

    group.scene.args.tree = {1, 2, 3}; // below box 3 of level 1
    group.scene.args.top_box = 1 + 3;
    auto above = Random(8).coefficients<K>(9 * n);
    auto locals = Random(9).coefficients<K>(leaves.size());
    auto sum = locals;
    for (std::size_t l = 0; l < n; ++l) {
        sum[l] += above[(1 + 3) * n + l];
    }
    group.template run<starfmm::L2LTask>(locals, group.scene.boxes, above);
    CHECK(locals == group.l2l(sum));
}

/// Checks P2P of three right-hand sides.
template <class BufferSet, class K>
void check_columns(const starfmm::KernelBodies& bodies) {
    using Real = typename K::Real;
    constexpr std::uint32_t n_columns = 3;
    SpaceRun<BufferSet, K> run(bodies, Scene<K>(1, 150, 2));
    Scene<K>& scene = run.scene;
    run.make_room(0, 64);
    fill_list(scene.args.lists.near(run.lists.data()), Rows(8, {0, 1, 2, 3, 4, 5, 6, 7}));
    std::vector<Scene<K>> columns(n_columns, scene);
    for (std::uint32_t c = 0; c < n_columns; ++c) {
        columns[c].strengths = Random(c).numbers<Real>(scene.n());
    }
    const std::size_t n_values = scene.no_values().size();
    auto near = Random(6).numbers<Real>(n_columns * n_values); // overwritten
    scene.args.columns = n_columns;
    run.template run<starfmm::P2PColumnsTask>(
        near,
        run.lists,
        scene.positions,
        scene.offsets,
        scene.positions,
        columns[0].strengths,
        columns[1].strengths,
        columns[2].strengths
    );
    for (std::uint32_t c = 0; c < n_columns; ++c) {
        const auto begin = near.begin() + static_cast<std::ptrdiff_t>(c * n_values);
        const std::vector<Real> own(begin, begin + static_cast<std::ptrdiff_t>(n_values));
        check_sums<K>(scene, {&columns[c]}, own);
    }
}
