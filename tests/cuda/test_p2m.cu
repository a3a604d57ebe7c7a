// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/device_call.hpp"

TEST_CASE_TEMPLATE("p2m: CUDA agrees with the CPU", K, DOCTEST_TEST_KERNELS) {
    for (const std::size_t n : {16, 17, 720, 5000}) {
        for (const int order : {1, 8, 24, 25, 44}) {
            CAPTURE(n);
            CAPTURE(order);
            const Scene<K> scene(2, n, order);
            check_bodies<typename K::Real>(
                bodies<K>().p2m,
                gpu_bodies<K>().p2m,
                scene.args,
                scene.no_coefficients(),
                scene.boxes,
                scene.positions,
                scene.strengths
            );
        }
    }
}
