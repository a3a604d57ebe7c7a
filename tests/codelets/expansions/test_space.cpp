// SPDX-License-Identifier: BSD-3-Clause
// Operators of kernels of three dimensions, with real coefficients.
#include "tests/support/space.hpp"

namespace {

/// Far boxes of each box of a pyramid of two levels below the root: each leaf meets each once,
/// those of its parent, itself included, as leaves, all others by their parents.
Rows pyramid_rows() {
    Rows rows(1 + 8 + 64);
    for (std::uint32_t box = 0; box < 8; ++box) {
        for (std::uint32_t other = 0; other < 8; ++other) {
            if (other != box) {
                rows[1 + box].push_back(other);
            }
            for (std::uint32_t child = 0; child < 8; ++child) {
                rows[9 + 8 * box + child].push_back(8 * box + other);
            }
        }
    }
    return rows;
}

/// Likewise of the octree.
Rows octree_rows() {
    Rows rows(9);
    for (std::uint32_t box = 1; box <= 5; ++box) {
        for (std::uint32_t other = 1; other <= 5; ++other) {
            if (box != other || box != 3) { // whose children see to it
                rows[box].push_back(other);
            }
        }
    }
    rows[6] = rows[7] = rows[8] = {6, 7, 8};
    return rows;
}

/// Of each leaf every third leaf.
Rows third_of_leaves(std::size_t n_leaves, std::size_t which) {
    Rows rows(n_leaves);
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        for (std::size_t other = (leaf + which) % 3; other < n_leaves; other += 3) {
            rows[leaf].push_back(static_cast<starfmm::BoxReference>(other));
        }
    }
    return rows;
}

/// What references to leaves become in lists of M2P, which name an orthtree's boxes.
template <class K>
Rows boxes_of_leaves(Scene<K>& scene, Rows rows) {
    starfmm::BoxView<3> view;
    const std::size_t n = n_boxes_of<3>(scene.args);
    view.x[0] = scene.boxes.data();
    view.x[1] = scene.boxes.data() + n;
    view.radius = scene.boxes.data() + 3 * n;
    for (auto& row : rows) {
        for (starfmm::BoxReference& leaf : row) {
            leaf = scene.args.has_orthtree() ? view.orthtree().leaf_boxes[leaf] : leaf;
        }
    }
    return rows;
}

template <class K>
void room_for(Scene<K>& scene, std::size_t far, std::size_t near) {
    scene.args.lists = {n_boxes_of<3>(scene.args), n_leaves_of<3>(scene.args), far, near};
}

std::size_t n_entries(const Rows& rows) {
    std::size_t n = 0;
    for (const auto& row : rows) {
        n += row.size();
    }
    return n;
}

template <class K>
auto p2m(const Scene<K>& scene, const starfmm::KernelBodies& bodies) {
    Scene<K> own = scene;
    auto multipoles = scene.no_coefficients();
    call(
        body<starfmm::P2MTask>(bodies),
        own.args,
        multipoles,
        own.boxes,
        own.positions,
        own.strengths
    );
    return multipoles;
}

template <class K, class Coefficients>
auto m2m(Scene<K> scene, const starfmm::KernelBodies& bodies, Coefficients multipoles) {
    scene.args.n_slots = 0;
    call(body<starfmm::M2MTask>(bodies), scene.args, multipoles, scene.boxes);
    return multipoles;
}

template <class K, class Coefficients>
auto l2l(Scene<K> scene, const starfmm::KernelBodies& bodies, Coefficients locals) {
    scene.args.n_slots = 0;
    call(body<starfmm::L2LTask>(bodies), scene.args, locals, scene.boxes);
    return locals;
}

template <class K, class Coefficients>
auto l2p(Scene<K> scene, const starfmm::KernelBodies& bodies, Coefficients locals) {
    auto far = scene.no_values();
    call(
        body<starfmm::L2PTask>(bodies),
        scene.args,
        far,
        locals,
        scene.boxes,
        scene.positions,
        scene.offsets
    );
    return far;
}

/// Far results of all boxes that `rows` names.
template <class K>
auto far_results(Scene<K> scene, const starfmm::KernelBodies& bodies, const Rows& rows) {
    auto multipoles = m2m(scene, bodies, p2m(scene, bodies));
    room_for(scene, n_entries(rows), 0);
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.far(lists.data()), rows);
    auto locals = Random(2).coefficients<K>(scene.no_coefficients().size()); // to be overwritten
    auto boxes = scene.boxes;
    call(body<starfmm::M2LTask>(bodies), scene.args, locals, lists, scene.boxes, multipoles, boxes);
    return l2p(scene, bodies, l2l(scene, bodies, locals));
}

/// Results of all leaves, a third each by P2L, M2P and P2P, near and far added in the order of the
/// points.
template <class K>
auto leaf_results(Scene<K> scene, const starfmm::KernelBodies& bodies) {
    using Real = typename K::Real;
    const std::size_t n_leaves = n_leaves_of<3>(scene.args);
    const auto third = [&](std::size_t which) { return third_of_leaves(n_leaves, which); };
    room_for(scene, 0, n_leaves * n_leaves);
    const starfmm::ListLayout& layout = scene.args.lists;
    Words lists(layout.words());
    fill_list(layout.p2l(lists.data()), third(0));
    fill_list(layout.m2p(lists.data()), boxes_of_leaves(scene, third(1)));
    fill_list(layout.near(lists.data()), third(2));
    auto& s = scene;
    auto boxes = scene.boxes;
    auto locals = scene.no_coefficients();
    auto multipoles = p2m(scene, bodies);
    std::vector<Real> near(scene.no_values().size(), 7); // to be overwritten
    Buffers p2l;
    p2l.add(locals).add(lists).add(s.boxes).add(s.positions).add(s.strengths).add(boxes);
    p2l.call(body<starfmm::P2LTask>(bodies), s.args);
    auto far = l2p(scene, bodies, locals);
    Buffers m2p;
    m2p.add(far).add(lists).add(s.positions).add(s.offsets).add(multipoles).add(boxes);
    m2p.call(body<starfmm::M2PTask>(bodies), s.args);
    Buffers p2p;
    p2p.add(near).add(lists).add(s.positions).add(s.offsets);
    p2p.add(s.positions).add(s.strengths).add(boxes);
    p2p.call(body<starfmm::P2PTask>(bodies), s.args);
    std::vector<std::vector<double>> parts(
        starfmm::n_value_components<K>, std::vector<double>(s.n())
    );
    Words order(s.n());
    std::iota(order.begin(), order.end(), 0U);
    Buffers gather;
    gather.add(near).add(far).add(order);
    for (auto& part : parts) {
        gather.add(part);
    }
    gather.call(starfmm::gather_set<Real>().template get<starfmm::GatherTask>().cpu(), {});
    std::vector<double> results;
    for (const auto& part : parts) {
        results.insert(results.end(), part.begin(), part.end());
    }
    return results;
}

} // namespace

TEST_CASE_TEMPLATE(
    "space: P2M, M2M, M2L, L2L and L2P give the sum on a pyramid", K, DOCTEST_TEST_SPACE_KERNELS
) {
    static_assert(starfmm::ExpansionKernel<K> && starfmm::dimension_of<K> == 3);
    for (const std::size_t n : {1, 7, 64, 500}) {
        CAPTURE(n);
        const Scene<K> scene(2, n, 2);
        check_sums<K>(scene, {&scene}, far_results(scene, bodies<K>(), pyramid_rows()));
    }
}

TEST_CASE_TEMPLATE("space: likewise on an octree", K, DOCTEST_TEST_SPACE_KERNELS) {
    const OctreeScene<K> scene(2);
    check_sums<K>(scene, {&scene}, far_results<K>(scene, bodies<K>(), octree_rows()));
}

TEST_CASE_TEMPLATE(
    "space: P2L, M2P and P2P give the sum, gathered, on a pyramid", K, DOCTEST_TEST_SPACE_KERNELS
) {
    for (const std::size_t n : {1, 7, 64, 500}) {
        CAPTURE(n);
        const Scene<K> scene(1, n, 2);
        check_sums<K>(scene, {&scene}, leaf_results(scene, bodies<K>()));
    }
}

TEST_CASE_TEMPLATE("space: likewise near leaves of an octree", K, DOCTEST_TEST_SPACE_KERNELS) {
    const OctreeScene<K> scene(2);
    check_sums<K>(scene, {&scene}, leaf_results<K>(scene, bodies<K>()));
}

TEST_CASE_TEMPLATE("space: instruction sets agree", K, DOCTEST_TEST_SPACE_KERNELS) {
    const Scene<K> pyramid(2, 333, 2);
    const OctreeScene<K> octree(2);
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return far_results(pyramid, bodies, pyramid_rows());
    });
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return leaf_results<K>(octree, bodies);
    });
}

TEST_CASE_TEMPLATE("space: direct sums of blocks", K, DOCTEST_TEST_SPACE_KERNELS) {
    for (const std::size_t m : {1, 31, 64, 131}) {
        Scene<K> targets(0, m, 2);
        Scene<K> sources(0, 100, 2, 2);
        Scene<K> others(0, 7, 2, 3);
        auto values = targets.no_values();
        for (Scene<K>* block : {&sources, &others}) {
            call(
                body<starfmm::DirectTask>(bodies<K>()),
                targets.args,
                values,
                targets.positions,
                block->positions,
                block->strengths
            );
        }
        check_sums<K>(targets, {&sources, &others}, values);
    }
}

TEST_CASE_TEMPLATE("space: M2L and P2P of several groups", K, DOCTEST_TEST_SPACE_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(0, 40, 2);
    Scene<K> other(0, 40, 2, 2);
    Words lists = near_to_first_group(scene);
    std::vector<Real> near = scene.no_values();
    auto& s = scene;
    Buffers p2p;
    p2p.add(near).add(lists).add(s.positions).add(s.offsets);
    p2p.add(s.positions).add(s.strengths).add(other.positions).add(other.strengths);
    p2p.call(body<starfmm::P2PTask>(bodies<K>()), scene.args);
    check_sums<K>(scene, {&scene, &other}, near);

    Scene<K> own(1, 200, 2);
    Scene<K> beside(1, 200, 2, 2);
    auto multipoles = m2m(own, bodies<K>(), p2m(own, bodies<K>()));
    auto others = m2m(beside, bodies<K>(), p2m(beside, bodies<K>()));
    Rows rows(9);
    std::fill(rows.begin() + 1, rows.end(), Rows::value_type{0, 1, 2, 3, 4, 5, 6, 7});
    rows[0] = {1}; // slot 1's root, of a level of one box
    own.args.n_slots = 2;
    own.args.slots[1] = 1;
    room_for(own, 65, 0);
    lists.assign(own.args.lists.words(), 0);
    fill_list(own.args.lists.far(lists.data()), rows);
    auto locals = own.no_coefficients();
    Buffers m2l;
    m2l.add(locals).add(lists).add(own.boxes);
    m2l.add(multipoles).add(own.boxes).add(others).add(beside.boxes);
    m2l.call(body<starfmm::M2LTask>(bodies<K>()), own.args);
    const auto far = l2p(own, bodies<K>(), l2l(own, bodies<K>(), locals));
    check_sums<K>(own, {&own, &beside}, far);
}

TEST_CASE_TEMPLATE("space: a top above eight groups", K, DOCTEST_TEST_SPACE_KERNELS) {
    using Coefficients = decltype(Scene<K>(0, 1, 2).no_coefficients());
    const auto n = static_cast<std::size_t>(K::n_coefficients(2));
    Scene<K> scene(1, 100, 2);
    const Coefficients leaves = p2m(scene, bodies<K>());
    const Coefficients expected = m2m(scene, bodies<K>(), leaves);
    std::vector<Coefficients> roots;
    scene.args.n_slots = 8;
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
        scene.args.slots[slot] = 7 - slot; // in any order
        const auto* begin = leaves.data() + (1 + scene.args.slots[slot]) * n;
        roots.emplace_back(begin, begin + n);
    }
    auto multipoles = Random(5).coefficients<K>(leaves.size()); // to be overwritten
    Buffers top;
    top.add(multipoles).add(scene.boxes);
    for (Coefficients& root : roots) {
        top.add(root);
    }
    top.call(body<starfmm::M2MTopTask>(bodies<K>()), scene.args);
    CHECK(std::equal(multipoles.begin(), multipoles.begin() + 9 * n, expected.begin()));

    Scene<K> group(1, 100, 2);
    group.args.n_slots = 1;
    auto multipole = leaves;
    Coefficients root(n);
    call(body<starfmm::M2MTask>(bodies<K>()), group.args, multipole, group.boxes, root);
    CHECK(std::equal(root.begin(), root.end(), expected.begin()));

    group.args.tree = {1, 2, 3}; // below box 3 of level 1
    group.args.top_box = 1 + 3;
    auto above = Random(8).coefficients<K>(9 * n);
    auto locals = Random(9).coefficients<K>(leaves.size());
    auto sum = locals;
    for (std::size_t l = 0; l < n; ++l) {
        sum[l] += above[(1 + 3) * n + l];
    }
    call(body<starfmm::L2LTask>(bodies<K>()), group.args, locals, group.boxes, above);
    group.args.tree = {0, 1, 0};
    CHECK(locals == l2l(group, bodies<K>(), sum));
}

TEST_CASE_TEMPLATE("space: P2P of several right-hand sides", K, DOCTEST_TEST_SPACE_KERNELS) {
    using Real = typename K::Real;
    constexpr std::uint32_t n_columns = 3;
    Scene<K> scene(1, 150, 2);
    const std::size_t n_values = scene.no_values().size();
    room_for(scene, 0, 64);
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.near(lists.data()), Rows(8, {0, 1, 2, 3, 4, 5, 6, 7}));
    std::vector<Scene<K>> columns(n_columns, scene);
    std::vector<Real> near(n_columns * n_values, 7); // to be overwritten
    Buffers buffers;
    buffers.add(near).add(lists).add(scene.positions).add(scene.offsets).add(scene.positions);
    for (std::uint32_t c = 0; c < n_columns; ++c) {
        columns[c].strengths = Random(c).numbers<Real>(scene.n());
        buffers.add(columns[c].strengths);
    }
    scene.args.columns = n_columns;
    buffers.call(body<starfmm::P2PColumnsTask>(bodies<K>()), scene.args);
    for (std::uint32_t c = 0; c < n_columns; ++c) {
        const auto begin = near.begin() + static_cast<std::ptrdiff_t>(c * n_values);
        const std::vector<Real> own(begin, begin + static_cast<std::ptrdiff_t>(n_values));
        check_sums<K>(scene, {&columns[c]}, own);
    }
}
