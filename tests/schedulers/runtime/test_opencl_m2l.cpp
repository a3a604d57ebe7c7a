// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/starpu_environment.hpp"
#include "tests/support/opencl_tasks.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/space/space_run.hpp"
#include "tests/support/tree_sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

using starfmm::Runtime;

namespace {

/// Moves a group's boxes away from the unit cube, so far from the origin that single precision
/// would not tell them apart.
template <class K>
void move_far_away(Scene<K>& scene, double x) {
    for (std::size_t box = 0; box < n_boxes_of<3>(scene.args); ++box) {
        scene.boxes[box] += 0x1p24 + x;
    }
}

/// Runs M2L of random multipoles: those of `slots`, the first of which are the targets' own.
template <class K, class... Slots>
std::vector<typename K::Real>
m2l(Runtime& runtime, std::uint32_t where, const Rows& rows, Scene<K>& targets, Slots&... slots) {
    using Reals = std::vector<typename K::Real>;
    starfmm::TaskArgs& args = targets.args;
    const std::size_t n = n_boxes_of<3>(args) * static_cast<std::size_t>(targets.n_coefficients());
    args.n_slots = sizeof...(slots);
    args.lists = {n_boxes_of<3>(args), n_leaves_of<3>(args), n_entries(rows), 0};
    Words lists(args.lists.words());
    fill_list(args.lists.far(lists.data()), rows);
    auto locals = Random(9).numbers<typename K::Real>(n); // to be overwritten
    std::deque<Reals> multipoles;
    auto target_boxes = targets.boxes;
    Arrays arrays;
    arrays.add(locals).add(lists).add(target_boxes);
    [[maybe_unused]] const auto add = [&](auto& slot) {
        Random random(multipoles.size() + 1);
        multipoles.push_back(random.numbers<typename K::Real>(n + starfmm::coefficient_slack));
        arrays.add(multipoles.back()).add(slot.boxes);
    };
    (add(slots), ...);
    auto& codelet = starfmm::kernel_set<K>().template get<starfmm::M2LTask>();
    arrays.run(codelet, args, where, runtime);
    return locals;
}

/// Checks M2L of a whole pyramid of three levels.
template <class K>
std::vector<typename K::Real> m2l_of_pyramid(Runtime& runtime, std::uint32_t where, int order) {
    Scene<K> scene(2, 64, order);
    soften(scene);
    move_far_away(scene, 0);
    return m2l(runtime, where, pyramid_rows(), scene, scene);
}

/// Checks M2L of the third group of level 1 of a pyramid, with itself and with the first group.
template <class K>
std::vector<typename K::Real>
m2l_of_pyramid_group(Runtime& runtime, std::uint32_t where, int order) {
    Scene<K> scene(1, 64, order);
    Scene<K> other(1, 64, order);
    soften(scene);
    move_far_away(scene, 0);
    move_far_away(other, 3);
    scene.args.tree = {1, 2, 2};
    scene.args.slots[0] = 2;
    // the root with the other's; no far box, its own, the other's, and of both
    const Rows rows{{1}, {}, {0, 7}, {8, 12}, {3, 9, 5, 15}, {15}, {1}, {}, {2, 10}};
    return m2l(runtime, where, rows, scene, scene, other);
}

/// Checks M2L of an octree.
template <class K>
std::vector<typename K::Real>
m2l_of_octree(Runtime& runtime, std::uint32_t where, int order, double softening = epsilon) {
    OctreeScene<K> scene(order);
    soften<K>(scene, softening);
    move_far_away<K>(scene, 0);
    return m2l<K>(runtime, where, octree_rows(), scene, scene);
}

/// Checks M2L of a group's octree with itself and with another group's, between boxes of any level.
template <class K>
std::vector<typename K::Real>
m2l_of_octree_group(Runtime& runtime, std::uint32_t where, int order) {
    OctreeScene<K> scene(order);
    OctreeScene<K> other(order, 2);
    soften<K>(scene);
    move_far_away<K>(scene, 0);
    move_far_away<K>(other, 3);
    scene.args.is_group = true;
    const auto of_other = [&](std::size_t box) {
        return scene.args.orthtree_references().name(1, box);
    };
    const Rows rows{
        {of_other(0)}, {}, {4, of_other(8), 5}, {of_other(3)}, {1}, {of_other(7), 0}, {3}, {}, {}};
    return m2l<K>(runtime, where, rows, scene, scene, other);
}

} // namespace

/// The tolerance grows with the degree: each degree of derivatives follows from the one below by a
/// few roundings.
TEST_CASE_TEMPLATE(
    "opencl_m2l: boxes on either tree agree with cores", K, GravityDouble, GravitySingle
) {
    if (const auto runtime = opencl_runtime()) {
        TakesTurns taken;
        for (int order = 1; order <= starfmm::largest_cartesian_order; ++order) {
            if (!taken()) {
                continue;
            }
            CAPTURE(order);
            const auto check = [&](const auto& of) {
                const auto expected = of(STARPU_CPU);
                const double error = difference(of(STARPU_OPENCL), expected);
                CHECK(error <= order * allowed<K>());
            };
            check([&](auto where) { return m2l_of_pyramid<K>(*runtime, where, order); });
            check([&](auto where) { return m2l_of_pyramid_group<K>(*runtime, where, order); });
            check([&](auto where) { return m2l_of_octree<K>(*runtime, where, order); });
            check([&](auto where) { return m2l_of_octree_group<K>(*runtime, where, order); });
        }
    }
}

TEST_CASE("opencl_m2l: targets that no sources are near to get zeros") {
    if (const auto runtime = opencl_runtime()) {
        OctreeScene<GravityDouble> scene(3);
        const Rows rows(n_boxes_of<3>(scene.args));
        const auto sums = m2l<GravityDouble>(*runtime, STARPU_OPENCL, rows, scene);
        CHECK(std::ranges::count(sums, 0.0) == static_cast<std::ptrdiff_t>(sums.size()));
    }
}

TEST_CASE("opencl_m2l: tasks have softening lengths of their own") {
    if (const auto runtime = opencl_runtime()) {
        for (const double softening : {0.2, 2.0, 0.7}) {
            const auto sums = [&](std::uint32_t where) {
                return m2l_of_octree<GravityDouble>(*runtime, where, 3, softening);
            };
            CHECK(difference(sums(STARPU_OPENCL), sums(STARPU_CPU)) <= allowed<GravityDouble>());
        }
    }
}

// A process tests one way, as in test_opencl.cpp.
TEST_CASE("opencl_m2l: what tasks read is mapped, and copied where STARPU_ENABLE_MAP is 0") {
    if (const auto runtime = opencl_runtime()) {
        static_cast<void>(m2l_of_octree_group<GravitySingle>(*runtime, STARPU_OPENCL, 4));
        // StarPU 1.4.10 maps what tasks read; what they only write is brought home
        constexpr std::size_t locals = sizeof(float) * 9 * starfmm::n_cartesian(4);
        if (starfmm::number_in_environment("STARPU_ENABLE_MAP") == 0) {
            CHECK(runtime->transferred_bytes() > locals);
        } else {
            CHECK(runtime->transferred_bytes() == locals);
        }
    }
}

TEST_CASE("opencl_m2l: gravity by a tree, shared by a core and a device") {
    const auto runtime = opencl_runtime();
    if (runtime == nullptr) {
        return;
    }
    const starfmm::Bodies bodies = equal_bodies(starfmm::Distribution::plummer, 20'000);
    const auto n_tasks = [&](const char* name) { return n_tasks_on_opencl(*runtime, name); };
    for (const auto softening : {starfmm::Softening::plummer, starfmm::Softening::spline}) {
        starfmm::GravityTreeOptions options;
        options.epsilon = 0.01;
        options.softening = softening;
        options.plan.tolerance = 1e-3;
        options.plan.groups = 64;
        const TreeReference reference(options, bodies);
        starfmm::GravityTree gravity(*runtime, options);
        starfmm::Accelerations found;
        const bool has_p2p = softening == starfmm::Softening::plummer;
        // any free worker takes a task: while the device compiles, the core may take all
        const auto is_shared = [&] {
            return n_tasks("starfmm_m2l") > 0 && (!has_p2p || n_tasks("starfmm_p2p") > 0);
        };
        for (int i = 0; i < 2 || (i < 100 && !is_shared()); ++i) {
            gravity.evaluate(bodies, found);
            CHECK(median(reference.errors(found)) <= options.plan.tolerance);
        }
        CHECK(n_tasks("starfmm_m2l") > 0);
        CHECK((n_tasks("starfmm_p2p") > 0) == has_p2p);
        runtime->clear_records();
    }
}
