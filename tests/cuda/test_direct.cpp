// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_call.hpp"

namespace {

/// Adds the potentials of `sources` at the points of `targets` to numbers that were there before.
template <class K>
void check_direct(Scene<K>& targets, Scene<K>& sources) {
    using Real = typename K::Real;
    check_bodies<Real>(
        body<starfmm::DirectTask>(bodies<K>()),
        body<starfmm::DirectTask>(gpu_bodies<K>()),
        targets.args,
        Random(9).numbers<Real>(targets.no_values().size()),
        targets.positions,
        sources.positions,
        sources.strengths
    );
}

} // namespace

TEST_CASE_TEMPLATE("direct: CUDA agrees with the CPU", K, DOCTEST_TEST_POINT_KERNELS) {
    for (const std::size_t m : {1, 7, 64, 65, 1000, 2113, 9000}) {
        for (const std::size_t n : {1, 2, 31, 256, 257, 1000, 3001}) {
            CAPTURE(m);
            CAPTURE(n);
            Scene<K> targets(0, m, 1);
            Scene<K> sources(0, n, 1, m == n ? 1 : 2); // the same points, or others
            check_direct(targets, sources);
        }
    }
}

TEST_CASE_TEMPLATE("direct: CUDA leaves coincident points out", K, DOCTEST_TEST_POINT_KERNELS) {
    Scene<K> scene(0, 300, 1);
    for (std::size_t i = 0; i < 300; i += 3) {
        scene.positions[i] = scene.positions[i + 1];
        scene.positions[300 + i] = scene.positions[300 + i + 1];
    }
    check_direct(scene, scene);
    std::fill_n(scene.positions.begin(), 300, scene.positions[0]);
    std::fill_n(scene.positions.begin() + 300, 300, scene.positions[300]);
    auto values = scene.no_values();
    call_on_gpu(
        body<starfmm::DirectTask>(gpu_bodies<K>()),
        scene.args,
        values,
        scene.positions,
        scene.positions,
        scene.strengths
    );
    for (const auto value : values) {
        CHECK(value == 0);
    }
}
