// SPDX-License-Identifier: BSD-3-Clause
#include "tests/geometry_variants.hpp"
#include "tests/split_run.hpp"

#include <limits>

namespace {

using starfmm::from_key;
using starfmm::MedianSearch;
using starfmm::to_key;

template <class Real>
void check_sets(const starfmm::GeometryBodies& bodies, std::size_t n) {
    for (const NamedPoints& set : point_sets(n)) {
        CAPTURE(set.name);
        for (const int group_level : {0, 1, 2, 3}) {
            for (const std::size_t n_chunks : {1, 2, 5}) {
                check_split<Real, Buffers>(bodies, set.points, group_level, n_chunks);
                check_split<Real, Buffers>(bodies, set.points, group_level, n_chunks, 1);
            }
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("keys are in the order of their numbers", Real, double, float) {
    const Real tiny = std::numeric_limits<Real>::denorm_min();
    const Real big = std::numeric_limits<Real>::max();
    const std::vector<Real> numbers{-big, Real(-2), Real(-1), -tiny, Real(0), tiny, Real(1), big};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CHECK(from_key<Real>(to_key(numbers[i])) == numbers[i]);
        if (i > 0) {
            CHECK(to_key(numbers[i - 1]) < to_key(numbers[i]));
        }
    }
    CHECK(to_key(-Real(0)) == to_key(Real(0)));
}

TEST_CASE("a search that sends all points to the lower half is decided at once") {
    const starfmm::Bounds<double> bounds{{0, 0}, {1, 2}};
    const auto search = MedianSearch<double>::begin(bounds, 5, 5);
    CHECK(search.is_decided());
    CHECK(search.is_below(to_key(std::numeric_limits<double>::max()), 7));
    CHECK(search.half(false).max[1] == 2);
    CHECK(search.half(true).min[1] == 2);
}

TEST_CASE("searches with more candidates than fit stay undecided") {
    check_overflow<Buffers>(geometry_variants<double>().front().bodies);
}

TEST_CASE_TEMPLATE("chunks are split among groups as sort splits", Real, double, float) {
    for (const GeometryVariant& variant : geometry_variants<Real>()) {
        CAPTURE(variant.name);
        for (const std::size_t n : {7, 64, 3001}) {
            CAPTURE(n);
            check_sets<Real>(variant.bodies, n);
        }
    }
}
