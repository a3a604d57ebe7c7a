// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/scenes.hpp"

namespace {

template <class K>
void check_l2l(Scene<K> scene) {
    using Real = typename K::Real;
    scene.args.n_slots = 0;
    for_forms([&](starfmm::TranslationForm form) {
        scene.args.implementation = static_cast<int>(form);
        check_bodies<Real>(
            body<starfmm::L2LTask>(bodies<K>()),
            body<starfmm::L2LTask>(gpu_bodies<K>()),
            scene.args,
            Random(3).complex_numbers<Real>(scene.no_coefficients().size()),
            scene.boxes
        );
    });
}

} // namespace

TEST_CASE_TEMPLATE("l2l: CUDA agrees with the CPU at any depth", K, DOCTEST_TEST_KERNELS) {
    for_any_depth<K>(0, check_l2l<K>);
}

TEST_CASE_TEMPLATE("l2l: CUDA agrees with the CPU at high orders", K, HarmonicDouble, LogDouble) {
    for_high_orders<K>(check_l2l<K>);
}

TEST_CASE_TEMPLATE("l2l: CUDA shifts by little and by nothing", K, DOCTEST_TEST_KERNELS) {
    check_l2l(scene_of_small_shifts<K>());
}

TEST_CASE_TEMPLATE("l2l: CUDA agrees with the CPU on quadtrees", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for_orthtrees(0, [](starfmm::TaskArgs args, const std::vector<double>& boxes) {
        for_forms([&](starfmm::TranslationForm form) {
            args.implementation = static_cast<int>(form);
            check_bodies<Real>(
                body<starfmm::L2LTask>(bodies<K>()),
                body<starfmm::L2LTask>(gpu_bodies<K>()),
                args,
                orthtree_coefficients<K>(args),
                boxes
            );
        });
    });
}

TEST_CASE_TEMPLATE(
    "l2l: CUDA starts a group below a top from its box of the top", K, DOCTEST_TEST_KERNELS
) {
    using Real = typename K::Real;
    Scene<K> scene(2, 16, 24);
    scene.args.tree = {1, 3, 3}; // below box 3 of level 1
    scene.args.top_box = 1 + 3;
    scene.args.n_slots = 1;
    Random random(8);
    check_bodies<Real>(
        body<starfmm::L2LTask>(bodies<K>()),
        body<starfmm::L2LTask>(gpu_bodies<K>()),
        scene.args,
        random.complex_numbers<Real>(scene.no_coefficients().size()),
        scene.boxes,
        random.complex_numbers<Real>(5 * scene.n_coefficients())
    );
}
