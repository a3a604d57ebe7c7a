// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/device_call.hpp"

namespace {

/// Random multipoles of the leaves, without a logarithm where the kernel has none.
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

template <class K>
void check_m2m(Scene<K>& scene) {
    scene.args.n_slots = 0;
    check_bodies<typename K::Real>(
        bodies<K>().m2m, gpu_bodies<K>().m2m, scene.args, leaf_multipoles(scene), scene.boxes
    );
}

} // namespace

TEST_CASE_TEMPLATE("m2m: CUDA agrees with the CPU at any depth", K, DOCTEST_TEST_KERNELS) {
    for (const int levels : {0, 1, 2, 3, 5}) {
        for (const int order : {1, 7, 8, 24, 25}) {
            CAPTURE(levels);
            CAPTURE(order);
            Scene<K> scene(levels, starfmm::n_boxes<2>(levels), order);
            check_m2m(scene);
        }
    }
}

TEST_CASE_TEMPLATE("m2m: CUDA agrees with the CPU at high orders", K, HarmonicDouble, LogDouble) {
    for (const int order : {44, 63, 64}) {
        CAPTURE(order);
        Scene<K> scene(2, 16, order);
        check_m2m(scene);
    }
}

TEST_CASE_TEMPLATE("m2m: CUDA shifts by little and by nothing", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(2, 16, 24);
    scene.set_frame(1, scene.frame(0));
    scene.set_frame(
        2, {{scene.frame(0).centre.re + Real(1e-6), scene.frame(0).centre.im}, Real(0.3)}
    );
    scene.set_frame(5, {scene.frame(1).centre, Real(1e-3)});
    check_m2m(scene);
}

TEST_CASE_TEMPLATE(
    "m2m: CUDA takes the top's finest level from the groups", K, DOCTEST_TEST_KERNELS
) {
    using Real = typename K::Real;
    Scene<K> scene(1, 4, 24);
    scene.args.n_slots = 4;
    Random random(5);
    const auto group = [&] {
        auto multipoles = random.complex_numbers<Real>(2 * scene.n_coefficients());
        multipoles[0] = {0, 0};
        return multipoles;
    };
    check_bodies<Real>(
        bodies<K>().m2m,
        gpu_bodies<K>().m2m,
        scene.args,
        scene.no_coefficients(),
        scene.boxes,
        group(),
        group(),
        group(),
        group()
    );
}
