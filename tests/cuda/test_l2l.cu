// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/device_call.hpp"

namespace {

template <class K>
void check_l2l(Scene<K>& scene) {
    using Real = typename K::Real;
    scene.args.n_slots = 0;
    check_bodies<Real>(
        bodies<K>().l2l,
        gpu_bodies<K>().l2l,
        scene.args,
        Random(3).complex_numbers<Real>(scene.no_coefficients().size()),
        scene.boxes
    );
}

} // namespace

TEST_CASE_TEMPLATE("l2l: CUDA agrees with the CPU at any depth", K, DOCTEST_TEST_KERNELS) {
    for (const int levels : {0, 1, 2, 3, 5}) {
        for (const int order : {0, 1, 7, 8, 24, 25}) {
            CAPTURE(levels);
            CAPTURE(order);
            Scene<K> scene(levels, starfmm::n_boxes<2>(levels), order);
            check_l2l(scene);
        }
    }
}

TEST_CASE_TEMPLATE("l2l: CUDA agrees with the CPU at high orders", K, HarmonicDouble, LogDouble) {
    for (const int order : {44, 63, 64}) {
        CAPTURE(order);
        Scene<K> scene(2, 16, order);
        check_l2l(scene);
    }
}

TEST_CASE_TEMPLATE("l2l: CUDA shifts by little and by nothing", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(2, 16, 24);
    scene.set_frame(1, scene.frame(0));
    scene.set_frame(
        2, {{scene.frame(0).centre.re + Real(1e-6), scene.frame(0).centre.im}, Real(0.3)}
    );
    scene.set_frame(5, {scene.frame(1).centre, Real(1e-3)});
    check_l2l(scene);
}

TEST_CASE_TEMPLATE(
    "l2l: CUDA starts a group below a top from its box of the top", K, DOCTEST_TEST_KERNELS
) {
    using Real = typename K::Real;
    Scene<K> scene(2, 16, 24);
    scene.args.tree = {1, 3, 3}; // below box 3 of level 1
    scene.args.n_slots = 1;
    Random random(8);
    check_bodies<Real>(
        bodies<K>().l2l,
        gpu_bodies<K>().l2l,
        scene.args,
        random.complex_numbers<Real>(scene.no_coefficients().size()),
        scene.boxes,
        random.complex_numbers<Real>(5 * scene.n_coefficients())
    );
}
