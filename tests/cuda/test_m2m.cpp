// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/scenes.hpp"

#include <numeric>

namespace {

/// Makes random multipoles of the leaves, without a logarithm where the kernel has none.
template <class K>
auto leaf_multipoles(const Scene<K>& scene) {
    using Real = typename K::Real;
    auto multipoles = Random(2).complex_numbers<Real>(scene.no_coefficients().size());
    const std::size_t n = scene.n_coefficients();
    for (std::size_t box = 0; box < scene.n_boxes(); ++box) {
        if (!is_log<K>) {
            multipoles[box * n] = {0, 0};
        }
    }
    return multipoles;
}

/// Checks M2M of a group below a top, which gets the root's multipole.
template <class K>
void check_m2m(Scene<K> scene) {
    using Real = typename K::Real;
    scene.args.n_slots = 1;
    for_forms([&](starfmm::TranslationForm form) {
        scene.args.implementation = static_cast<int>(form);
        check_bodies<Real>(
            body<starfmm::M2MTask>(bodies<K>()),
            body<starfmm::M2MTask>(gpu_bodies<K>()),
            scene.args,
            leaf_multipoles(scene),
            scene.boxes,
            std::vector<starfmm::Complex<Real>>(scene.n_coefficients())
        );
    });
}

} // namespace

TEST_CASE_TEMPLATE("m2m: CUDA agrees with the CPU at any depth", K, DOCTEST_TEST_KERNELS) {
    for_any_depth<K>(1, check_m2m<K>);
}

TEST_CASE_TEMPLATE("m2m: CUDA agrees with the CPU at high orders", K, HarmonicDouble, LogDouble) {
    for_high_orders<K>(check_m2m<K>);
}

TEST_CASE_TEMPLATE("m2m: CUDA shifts by little and by nothing", K, DOCTEST_TEST_KERNELS) {
    check_m2m(scene_of_small_shifts<K>());
}

TEST_CASE_TEMPLATE("m2m: CUDA agrees with the CPU on quadtrees", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const std::size_t targets : {0, 500}) {
        for_orthtrees(targets, [](starfmm::TaskArgs args, const std::vector<double>& boxes) {
            auto multipoles = orthtree_coefficients<K>(args);
            const auto n = static_cast<std::size_t>(K::n_coefficients(args.order));
            for (std::size_t box = 0; box < n_boxes_of<2>(args) && !is_log<K>; ++box) {
                multipoles[box * n] = {0, 0};
            }
            for_forms([&](starfmm::TranslationForm form) {
                args.implementation = static_cast<int>(form);
                check_bodies<Real>(
                    body<starfmm::M2MTask>(bodies<K>()),
                    body<starfmm::M2MTask>(gpu_bodies<K>()),
                    args,
                    multipoles,
                    boxes
                );
            });
        });
    }
}

TEST_CASE_TEMPLATE(
    "m2m: CUDA takes the top's finest level from the groups", K, DOCTEST_TEST_KERNELS
) {
    using Real = typename K::Real;
    Scene<K> scene(1, 4, 24);
    scene.args.n_slots = 4;
    std::iota(scene.args.slots, scene.args.slots + 4, 0U);
    Random random(5);
    const auto group = [&] {
        auto multipoles = random.complex_numbers<Real>(2 * scene.n_coefficients());
        multipoles[0] = {0, 0};
        return multipoles;
    };
    check_bodies<Real>(
        body<starfmm::M2MTopTask>(bodies<K>()),
        body<starfmm::M2MTopTask>(gpu_bodies<K>()),
        scene.args,
        scene.no_coefficients(),
        scene.boxes,
        group(),
        group(),
        group(),
        group()
    );
}
