// SPDX-License-Identifier: BSD-3-Clause
// Tests of CUDA bodies of solid harmonics of any order, on both kinds of tree.
#include "core/expansions/kernels3d.hpp"
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/cuda/support/device_call.hpp"
#include "tests/support/space/rounded_locals.hpp"

namespace {

using LaplaceDouble = starfmm::Laplace<double>;
using LaplaceSingle = starfmm::Laplace<float>;
using LaplaceGradientDouble = starfmm::LaplaceGradient<double>;
using LaplaceGradientSingle = starfmm::LaplaceGradient<float>;

#define LAPLACE_KERNELS LaplaceDouble, LaplaceSingle, LaplaceGradientDouble, LaplaceGradientSingle

/// Orders at and beyond the limits of the kernels' forms.
constexpr int orders[] = {1, 2, 5, 6, 8, 9, 10, 14, 16, 17, 20, 22, 24, 25, 30, 40};

/// Calls check(scene) with scenes of each order on both kinds of tree.
template <class K, class Check>
void for_scenes(const Check& check) {
    for (const int order : orders) {
        CAPTURE(order);
        check(Scene<K>(2, 700, order));
        check(OctreeScene<K>(order));
    }
}

/// Number of boxes; an octree's arrays may follow the frames.
template <class K>
std::size_t total_boxes(const Scene<K>& scene) {
    return n_boxes_of<3>(scene.args);
}

template <class K>
double& radius_of(Scene<K>& scene, std::size_t box) {
    return scene.boxes[3 * total_boxes(scene) + box];
}

/// Gives boxes balls of random size, so that pairs need different numbers of terms, the same for
/// each kernel.
template <class K>
void shrink_solid_boxes(Scene<K>& scene, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t box = 0; box < total_boxes(scene); ++box) {
        const double shrunk = random(0.05, 0.8);
        double& radius = radius_of(scene, box);
        radius = radius < 0 ? radius : shrunk * radius;
    }
}

template <class K>
starfmm::Frame<double, 3> frame_of(const Scene<K>& scene, std::size_t box) {
    const std::size_t n = total_boxes(scene);
    return {
        {scene.boxes[box], scene.boxes[n + box], scene.boxes[2 * n + box]},
        scene.boxes[3 * n + box]};
}

template <class K>
bool is_far(const Scene<K>& scene, std::size_t target, std::size_t source, double shift) {
    const auto to = frame_of(scene, target);
    auto from = frame_of(scene, source);
    from.centre.x += shift;
    const double larger = std::max(to.radius, from.radius);
    const double smaller = std::min(to.radius, from.radius);
    const double theta = scene.args.theta;
    return smaller >= 0 && larger + theta * smaller <= theta * length(to.centre - from.centre);
}

/// Returns for each box all boxes of its level that the criterion admits, of two groups, the second
/// of which is the first one moved by `shift`.
template <class K>
Rows far_rows(const Scene<K>& scene, double shift) {
    Rows rows;
    const auto add_level = [&](std::size_t first, std::size_t n, int bits, std::size_t begin) {
        for (std::size_t target = first; target < first + n; ++target) {
            auto& row = rows.emplace_back();
            for (std::uint32_t slot = 0; slot < 2; ++slot) {
                for (std::size_t source = first; source < first + n; ++source) {
                    if (is_far(scene, target, source, slot * shift)) {
                        row.push_back(
                            slot << bits | static_cast<starfmm::BoxReference>(source - begin)
                        );
                    }
                }
            }
        }
    };
    if (scene.args.has_orthtree()) {
        add_level(0, total_boxes(scene), scene.args.orthtree_references().bits, 0);
    } else {
        const auto tree = starfmm::pyramid_of<3>(scene.args);
        for (int level = 0; level <= tree.last; ++level) {
            const std::size_t first = tree.offset(level);
            add_level(first, tree.boxes(level), 3 * level, first);
        }
    }
    return rows;
}

template <class K>
void check_solid_m2l(Scene<K> scene, starfmm::PairTerms terms) {
    using Real = typename K::Real;
    constexpr double shift = 0.75;
    shrink_solid_boxes(scene, 7);
    scene.args.n_slots = 2;
    scene.args.terms = terms;
    const Rows rows = far_rows(scene, shift);
    std::size_t n_far = 0;
    for (const auto& row : rows) {
        n_far += row.size();
    }
    REQUIRE(n_far > 0);
    scene.args.lists = {total_boxes(scene), n_leaves_of<3>(scene.args), n_far, 0};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.far(lists.data()), rows);
    auto moved = scene.boxes;
    std::for_each_n(moved.begin(), total_boxes(scene), [](double& x) { x += shift; });
    const std::size_t size =
        total_boxes(scene) * scene.n_coefficients() + starfmm::coefficient_slack;
    check_bodies<Real>(
        body<starfmm::M2LTask>(bodies<K>()),
        body<starfmm::M2LTask>(gpu_bodies<K>()),
        scene.args,
        Random(3).numbers<Real>(size), // overwritten
        lists,
        scene.boxes,
        Random(4).numbers<Real>(size),
        scene.boxes,
        Random(5).numbers<Real>(size),
        moved
    );
}

/// Moves children: one beside its parent's centre, one to it, and one without points.
template <class K>
void move_children(Scene<K>& scene) {
    const std::size_t n = total_boxes(scene);
    const auto parent = frame_of(scene, 0);
    scene.boxes[1] = parent.centre.x;
    scene.boxes[2] = parent.centre.x;
    scene.boxes[n + 1] = parent.centre.y;
    scene.boxes[2 * n + 1] = parent.centre.z;
    scene.boxes[2 * n + 2] = parent.centre.z;
    radius_of(scene, total_boxes(scene) - 1) = -1;
}

template <class K>
auto random_coefficients(const Scene<K>& scene) {
    const std::size_t n = total_boxes(scene) * scene.n_coefficients();
    return Random(6).numbers<typename K::Real>(n + starfmm::coefficient_slack);
}

/// Clears the expansions of boxes without points, which nothing reads.
template <class K>
void forget_empty_boxes(Scene<K>& scene, std::vector<typename K::Real>& coefficients) {
    const auto n = static_cast<std::size_t>(scene.n_coefficients());
    for (std::size_t box = 0; box < total_boxes(scene); ++box) {
        if (radius_of(scene, box) < 0) {
            std::fill_n(coefficients.begin() + static_cast<std::ptrdiff_t>(box * n), n, 0);
        }
    }
}

template <template <class> class Op, class K>
void check_shifts(Scene<K> scene) {
    move_children(scene);
    scene.args.n_slots = 0;
    auto expected = random_coefficients(scene);
    auto values = expected;
    call(body<Op>(bodies<K>()), scene.args, expected, scene.boxes);
    call_on_gpu(body<Op>(gpu_bodies<K>()), scene.args, values, scene.boxes);
    forget_empty_boxes(scene, expected);
    forget_empty_boxes(scene, values);
    check_close<typename K::Real>(values, expected);
}

template <class K>
void check_p2m(const Scene<K>& scene) {
    using Real = typename K::Real;
    check_bodies<Real>(
        body<starfmm::P2MTask>(bodies<K>()),
        body<starfmm::P2MTask>(gpu_bodies<K>()),
        scene.args,
        random_coefficients(scene), // overwritten at leaves
        scene.boxes,
        scene.positions,
        scene.strengths
    );
}

template <class K>
void check_solid_l2p(const Scene<K>& scene) {
    using Real = typename K::Real;
    check_bodies<Real>(
        body<starfmm::L2PTask>(bodies<K>()),
        body<starfmm::L2PTask>(gpu_bodies<K>()),
        scene.args,
        scene.no_values(),
        random_coefficients(scene),
        scene.boxes,
        scene.positions,
        scene.offsets
    );
}

/// Returns for each leaf some leaves that do not touch it, moved away.
Rows rows_of_leaves(std::size_t n_leaves) {
    Rows rows(n_leaves);
    for (std::size_t leaf = 0; leaf < n_leaves; leaf += 2) {
        for (std::size_t i = 0; i <= leaf % 5; ++i) {
            rows[leaf].push_back(static_cast<starfmm::BoxReference>((3 * leaf + i) % n_leaves));
        }
    }
    return rows;
}

/// Makes lists of one kind over the scene's leaves.
template <class K>
Words lists_of_leaves(
    Scene<K>& scene,
    starfmm::ListView (starfmm::ListLayout::*list)(std::uint32_t*) const,
    const Rows& rows
) {
    std::size_t n = 0;
    for (const auto& row : rows) {
        n += row.size();
    }
    scene.args.lists = {total_boxes(scene), rows.size(), 0, n};
    Words lists(scene.args.lists.words());
    fill_list((scene.args.lists.*list)(lists.data()), rows);
    return lists;
}

template <class K>
void check_p2l(Scene<K> scene) {
    using Real = typename K::Real;
    const Rows rows = rows_of_leaves(n_leaves_of<3>(scene.args));
    const Words lists = lists_of_leaves(scene, &starfmm::ListLayout::p2l, rows);
    auto moved = scene.positions;
    std::for_each_n(moved.begin(), scene.n(), [](double& x) { x += 2; });
    check_bodies<Real>(
        body<starfmm::P2LTask>(bodies<K>()),
        body<starfmm::P2LTask>(gpu_bodies<K>()),
        scene.args,
        random_coefficients(scene),
        lists,
        scene.boxes,
        moved,
        scene.strengths,
        scene.boxes
    );
}

template <class K>
void check_m2p(Scene<K> scene) {
    using Real = typename K::Real;
    Rows rows = rows_of_leaves(n_leaves_of<3>(scene.args));
    starfmm::BoxView<3> view;
    const std::size_t n = total_boxes(scene);
    view.x[0] = scene.boxes.data();
    view.x[1] = scene.boxes.data() + n;
    view.radius = scene.boxes.data() + 3 * n;
    for (auto& row : rows) {
        for (starfmm::BoxReference& leaf : row) {
            leaf = scene.args.has_orthtree() ? view.orthtree().leaf_boxes[leaf] : leaf;
        }
    }
    const Words lists = lists_of_leaves(scene, &starfmm::ListLayout::m2p, rows);
    auto moved = scene.positions;
    std::for_each_n(moved.begin(), scene.n(), [](double& x) { x += 2; });
    check_bodies<Real>(
        body<starfmm::M2PTask>(bodies<K>()),
        body<starfmm::M2PTask>(gpu_bodies<K>()),
        scene.args,
        scene.no_values(),
        lists,
        moved,
        scene.offsets,
        random_coefficients(scene),
        scene.boxes
    );
}

} // namespace

TEST_CASE_TEMPLATE("laplace3d: M2L by CUDA agrees with the CPU", K, LaplaceDouble, LaplaceSingle) {
    for_scenes<K>([](const auto& scene) {
        check_solid_m2l<K>(scene, starfmm::PairTerms::by_distance);
        check_solid_m2l<K>(scene, starfmm::PairTerms::all);
    });
}

TEST_CASE_TEMPLATE("laplace3d: M2M by CUDA agrees with the CPU", K, LaplaceDouble, LaplaceSingle) {
    for_scenes<K>([](const auto& scene) { check_shifts<starfmm::M2MTask, K>(scene); });
}

TEST_CASE_TEMPLATE("laplace3d: L2L by CUDA agrees with the CPU", K, LaplaceDouble, LaplaceSingle) {
    for_scenes<K>([](const auto& scene) { check_shifts<starfmm::L2LTask, K>(scene); });
}

TEST_CASE_TEMPLATE("laplace3d: P2M by CUDA agrees with the CPU", K, LaplaceDouble, LaplaceSingle) {
    for_scenes<K>([](const auto& scene) { check_p2m<K>(scene); });
}

TEST_CASE_TEMPLATE("laplace3d: P2L by CUDA agrees with the CPU", K, LaplaceDouble, LaplaceSingle) {
    for_scenes<K>([](const auto& scene) { check_p2l<K>(scene); });
}

TEST_CASE_TEMPLATE("laplace3d: L2P by CUDA agrees with the CPU", K, LAPLACE_KERNELS) {
    for_scenes<K>([](const auto& scene) { check_solid_l2p<K>(scene); });
}

TEST_CASE_TEMPLATE("laplace3d: M2P by CUDA agrees with the CPU", K, LAPLACE_KERNELS) {
    for_scenes<K>([](const auto& scene) { check_m2p<K>(scene); });
}

TEST_CASE("laplace3d: CUDA rounds mixed kernels' local expansions") {
    check_rounded_locals<DeviceBuffers>([](auto kernel) { return gpu_bodies<decltype(kernel)>(); });
}
