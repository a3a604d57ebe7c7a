// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/device_call.hpp"

TEST_CASE_TEMPLATE("p2l: CUDA agrees with the CPU", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const std::size_t n : {16, 720, 5000}) {
        for (const int order : {1, 8, 24, 25, 44}) {
            CAPTURE(n);
            CAPTURE(order);
            Scene<K> scene(2, n, order);
            Rows rows(16); // leaves in opposite corners; most without an entry
            rows[0] = {15, 14, 13};
            rows[15] = {0};
            rows[5] = {10, 3};
            scene.args.lists = {scene.n_boxes(), 16, 0, 6};
            Words lists(scene.args.lists.words());
            fill_list(scene.args.lists.p2l(lists.data()), rows);
            check_bodies<Real>(
                bodies<K>().p2l,
                gpu_bodies<K>().p2l,
                scene.args,
                Random(6).complex_numbers<Real>(scene.no_coefficients().size()),
                lists,
                scene.boxes,
                scene.positions,
                scene.strengths
            );
        }
    }
}
