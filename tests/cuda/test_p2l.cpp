// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/scenes.hpp"

TEST_CASE_TEMPLATE("p2l: CUDA agrees with the CPU", K, DOCTEST_TEST_KERNELS) {
    for_sizes_and_orders<K>([](Scene<K> scene) {
        using Real = typename K::Real;
        Rows rows(16); // leaves in opposite corners; most without an entry
        rows[0] = {15, 14, 13};
        rows[15] = {0};
        rows[5] = {10, 3};
        const Words lists = leaf_lists(scene, &starfmm::ListLayout::p2l, rows);
        check_bodies<Real>(
            body<starfmm::P2LTask>(bodies<K>()),
            body<starfmm::P2LTask>(gpu_bodies<K>()),
            scene.args,
            Random(6).complex_numbers<Real>(scene.no_coefficients().size()),
            lists,
            scene.boxes,
            scene.positions,
            scene.strengths
        );
    });
}
