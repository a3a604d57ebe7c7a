// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/space/space_pairs.hpp"

namespace {

template <class K>
using CpuPairs = PairBodies<Buffers, K>;

/// Calls `use` with the bodies of every instruction set that this processor has.
template <class K, class Use>
void with_each_isa(const Use& use) {
    for (const Variant& variant : variants<K>()) {
        CAPTURE(variant.name);
        use(CpuPairs<K>(variant.bodies));
    }
}

} // namespace

TEST_CASE_TEMPLATE("space pairs: P2P, every pair once", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    with_each_isa<K>([](const auto& bodies) { check_p2p<CpuPairs<K>, K>(bodies); });
}

TEST_CASE_TEMPLATE("space pairs: P2P of many leaves", K, LaplaceDouble, LaplaceMixed) {
    check_many_leaves<CpuPairs<K>, K>(CpuPairs<K>(bodies<K>()));
}

TEST_CASE_TEMPLATE("space pairs: direct sums, every pair once", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    with_each_isa<K>([](const auto& bodies) { check_direct<CpuPairs<K>, K>(bodies); });
}

TEST_CASE_TEMPLATE("space pairs: right-hand sides at once", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    with_each_isa<K>([](const auto& bodies) { check_columns<CpuPairs<K>, K>(bodies); });
}

TEST_CASE_TEMPLATE("space pairs: coincident points", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    with_each_isa<K>([](const auto& bodies) { check_coincident<CpuPairs<K>, K>(bodies); });
}

TEST_CASE_TEMPLATE("space pairs: points ever closer", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    with_each_isa<K>([](const auto& bodies) { check_close<CpuPairs<K>, K>(bodies); });
}

TEST_CASE_TEMPLATE(
    "space pairs: any unit", K, PotentialDouble, PotentialMixed, LaplaceDouble, LaplaceMixed
) {
    with_each_isa<K>([](const auto& bodies) { check_units<CpuPairs<K>, K>(bodies); });
}

TEST_CASE_TEMPLATE(
    "space pairs: sources of all kinds",
    K,
    PotentialDouble,
    PotentialMixed,
    LaplaceDouble,
    LaplaceMixed
) {
    with_each_isa<K>([](const auto& bodies) { check_outliers<CpuPairs<K>, K>(bodies); });
}
