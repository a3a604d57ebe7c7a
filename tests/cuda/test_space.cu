// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/pairs/p2p.hpp"
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/space/space_checks.hpp"

namespace {

template <class Real>
starfmm::BodyFunction gpu_gather() {
    using List = starfmm::GatherOperators<Real>;
    return body_in<List, starfmm::GatherTask<Real>>(starfmm::bodies<List, starfmm::Cuda>());
}

/// Sums each pair once, whatever the number of leaves.
template <class K>
void meet_both_ways(void* buffers[], void* args) {
    starfmm::TaskBuffers taken(buffers, args);
    starfmm::p2p_mutual(starfmm::P2PTask<K>::of(taken));
}

} // namespace

TEST_CASE_TEMPLATE(
    "space: P2M, M2M, M2L, L2L and L2P give the sum on a GPU", K, DOCTEST_TEST_SPACE_KERNELS
) {
    check_far_field<DeviceBuffers, K>(gpu_bodies<K>());
}

TEST_CASE_TEMPLATE("space: P2L, M2P and P2P give it, too", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_leaves<DeviceBuffers, K>(gpu_bodies<K>(), gpu_gather<typename K::Real>());
}

TEST_CASE_TEMPLATE("space: direct sums of blocks by CUDA", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_direct_sums<DeviceBuffers, K>(gpu_bodies<K>());
}

TEST_CASE_TEMPLATE("space: M2L and P2P of several groups by CUDA", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_groups<DeviceBuffers, K>(gpu_bodies<K>());
}

TEST_CASE_TEMPLATE("space: CUDA has a top above eight groups", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_top<DeviceBuffers, K>(gpu_bodies<K>());
    check_below_top<DeviceBuffers, K>(gpu_bodies<K>());
}

TEST_CASE_TEMPLATE("space: CUDA, several right-hand sides", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_columns<DeviceBuffers, K>(gpu_bodies<K>());
}

TEST_CASE_TEMPLATE("space: CUDA keeps differences of close points", K, SquareDouble, SquareSingle) {
    check_close_points<DeviceBuffers, K>(gpu_bodies<K>());
}

TEST_CASE_TEMPLATE("space: CUDA has P2P both ways", K, SquareDouble, SquareSingle) {
    static_assert(starfmm::MutualKernel<K>);
    for (const std::size_t n : {2, 31, 257, 720, 4500}) {
        for (const int levels : {0, 1, 2}) {
            CAPTURE(n);
            CAPTURE(levels);
            Scene<K> s(levels, n, 2);
            const std::size_t n_leaves = n_leaves_of<3>(s.args);
            s.args.lists = {s.n_boxes(), n_leaves, 0, n_leaves * n_leaves};
            Words lists(s.args.lists.words());
            Rows::value_type all(n_leaves);
            std::iota(all.begin(), all.end(), 0U);
            fill_list(s.args.lists.near(lists.data()), Rows(n_leaves, all));
            auto near = Random(9).numbers<typename K::Real>(s.no_values().size()); // overwritten
            call_on_gpu(
                meet_both_ways<K>,
                s.args,
                near,
                lists,
                s.positions,
                s.offsets,
                s.positions,
                s.strengths
            );
            check_sums<K>(s, {&s}, near);
        }
    }
}
