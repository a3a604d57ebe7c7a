// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/scenes.hpp"

TEST_CASE_TEMPLATE("p2m: CUDA agrees with the CPU", K, DOCTEST_TEST_KERNELS) {
    for_sizes_and_orders<K>([](const Scene<K>& scene) {
        check_bodies<typename K::Real>(
            body<starfmm::P2MTask>(bodies<K>()),
            body<starfmm::P2MTask>(gpu_bodies<K>()),
            scene.args,
            scene.no_coefficients(),
            scene.boxes,
            scene.positions,
            scene.strengths
        );
    });
}
