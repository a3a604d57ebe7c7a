// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/device_call.hpp"

TEST_CASE_TEMPLATE("m2p: CUDA agrees with the CPU", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const std::size_t n : {16, 720, 5000}) {
        for (const int order : {1, 8, 24, 25, 44}) {
            CAPTURE(n);
            CAPTURE(order);
            Scene<K> scene(2, n, order);
            Rows rows(16); // leaves in opposite corners; most without an entry
            rows[0] = {15, 14, 13};
            rows[15] = {0};
            rows[3] = {12};
            scene.args.lists = {scene.n_boxes(), 16, 0, 5};
            Words lists(scene.args.lists.words());
            fill_list(scene.args.lists.m2p(lists.data()), rows);
            check_bodies<Real>(
                bodies<K>().m2p,
                gpu_bodies<K>().m2p,
                scene.args,
                Random(7).numbers<Real>(scene.no_values().size()),
                lists,
                scene.positions,
                scene.offsets,
                Random(6).complex_numbers<Real>(scene.no_coefficients().size()),
                scene.boxes
            );
        }
    }
}
