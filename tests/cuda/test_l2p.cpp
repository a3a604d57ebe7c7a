// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/scenes.hpp"

namespace {

template <class K>
void check_l2p(const Scene<K>& scene) {
    using Real = typename K::Real;
    check_bodies<Real>(
        body<starfmm::L2PTask>(bodies<K>()),
        body<starfmm::L2PTask>(gpu_bodies<K>()),
        scene.args,
        scene.no_values(),
        Random(5).complex_numbers<Real>(scene.no_coefficients().size()),
        scene.boxes,
        scene.positions,
        scene.offsets
    );
}

} // namespace

TEST_CASE_TEMPLATE("l2p: CUDA agrees with the CPU", K, DOCTEST_TEST_POINT_KERNELS) {
    for_sizes_and_orders<K>(check_l2p<K>);
}

TEST_CASE_TEMPLATE(
    "l2p: CUDA meets each target of leaves of any size", K, DOCTEST_TEST_POINT_KERNELS
) {
    Scene<K> scene(2, 3001, 9);
    scene.offsets = {
        0, 0, 0, 1, 1, 257, 513, 770, 770, 2500, 2500, 2500, 2501, 2601, 3000, 3000, 3001};
    for (std::size_t leaf = 0; leaf < 16; ++leaf) { // into the leaf's disc
        const auto frame = scene.frame(scene.leaf_box(leaf));
        Random random(leaf + 1);
        for (std::size_t i = scene.offsets[leaf]; i < scene.offsets[leaf + 1]; ++i) {
            const double half = 0.7 * frame.radius;
            scene.positions[i] = frame.centre.re + random(-half, half);
            scene.positions[scene.n() + i] = frame.centre.im + random(-half, half);
        }
    }
    check_l2p(scene);
}
