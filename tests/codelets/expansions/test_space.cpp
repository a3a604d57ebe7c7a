// SPDX-License-Identifier: BSD-3-Clause
// Tests of the operators of kernels of space, with real coefficients.
#include "tests/support/space/space_checks.hpp"

namespace {

template <class Real>
starfmm::BodyFunction gather_body() {
    return starfmm::gather_set<Real>().template get<starfmm::GatherTask>().cpu();
}

} // namespace

TEST_CASE_TEMPLATE(
    "space: P2M, M2M, M2L, L2L and L2P give the sum", K, DOCTEST_TEST_SPACE_KERNELS
) {
    static_assert(starfmm::ExpansionKernel<K> && starfmm::dimension_of<K> == 3);
    check_far_field<Buffers, K>(bodies<K>());
}

TEST_CASE_TEMPLATE("space: P2L, M2P and P2P give the sum", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_leaves<Buffers, K>(bodies<K>(), gather_body<typename K::Real>());
}

TEST_CASE_TEMPLATE("space: direct sums of blocks", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_direct_sums<Buffers, K>(bodies<K>());
}

TEST_CASE_TEMPLATE("space: M2L and P2P of several groups", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_groups<Buffers, K>(bodies<K>());
}

TEST_CASE_TEMPLATE("space: a top above eight groups", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_top<Buffers, K>(bodies<K>());
    check_below_top<Buffers, K>(bodies<K>());
}

TEST_CASE_TEMPLATE("space: P2P of several right-hand sides", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_columns<Buffers, K>(bodies<K>());
}

TEST_CASE_TEMPLATE("space: instruction sets agree", K, DOCTEST_TEST_SPACE_KERNELS) {
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return SpaceRun<Buffers, K>(bodies, Scene<K>(2, 333, 2)).far_results(pyramid_rows());
    });
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        const auto gather = gather_body<typename K::Real>();
        return SpaceRun<Buffers, K>(bodies, OctreeScene<K>(2)).leaf_results(gather);
    });
}

TEST_CASE_TEMPLATE("space: differences of close points", K, SquareDouble, SquareSingle) {
    check_close_points<Buffers, K>(bodies<K>());
}
