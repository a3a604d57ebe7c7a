// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/scenes.hpp"

TEST_CASE_TEMPLATE("m2p: CUDA agrees with the CPU", K, DOCTEST_TEST_POINT_KERNELS) {
    for_sizes_and_orders<K>([](Scene<K> scene) {
        using Real = typename K::Real;
        Rows rows(16); // leaves in opposite corners; most without an entry
        rows[0] = {15, 14, 13};
        rows[15] = {0};
        rows[3] = {12};
        const Words lists = leaf_lists(scene, &starfmm::ListLayout::m2p, rows);
        check_bodies<Real>(
            body<starfmm::M2PTask>(bodies<K>()),
            body<starfmm::M2PTask>(gpu_bodies<K>()),
            scene.args,
            Random(7).numbers<Real>(scene.no_values().size()),
            lists,
            scene.positions,
            scene.offsets,
            Random(6).complex_numbers<Real>(scene.no_coefficients().size()),
            scene.boxes
        );
    });
}
