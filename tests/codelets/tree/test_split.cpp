// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/geometry_variants.hpp"
#include "tests/support/split_run.hpp"

#include <limits>

namespace {

using starfmm::from_key;
using starfmm::MedianSearch;
using starfmm::Takers;
using starfmm::to_key;

void check_sets(const starfmm::GeometryBodies& bodies, std::size_t n) {
    for (const auto& set : point_sets(n)) {
        CAPTURE(set.name);
        for (int group_level = 0; starfmm::n_boxes<2>(group_level) <= 64; ++group_level) {
            for (const std::size_t n_chunks : {1, 2, 5}) {
                check_split<Buffers>(bodies, set.points, group_level, n_chunks);
                check_split<Buffers>(bodies, set.points, group_level, n_chunks, 1);
                check_split<Buffers>(bodies, set.points, group_level, n_chunks, 3, Takers::cores);
            }
        }
    }
}

} // namespace

TEST_CASE("keys are in the order of their numbers") {
    const double tiny = std::numeric_limits<double>::denorm_min();
    const double big = std::numeric_limits<double>::max();
    const std::vector<double> numbers{-big, -2, -1, -tiny, 0, tiny, 1, big};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CHECK(from_key(to_key(numbers[i])) == numbers[i]);
        if (i > 0) {
            CHECK(to_key(numbers[i - 1]) < to_key(numbers[i]));
        }
    }
    CHECK(to_key(-0.0) == to_key(0.0));
}

TEST_CASE("a search that sends all points to the lower half is decided at once") {
    const starfmm::Bounds<double> bounds{{0, 0}, {1, 2}};
    const auto search = MedianSearch::begin(bounds, 5, 5);
    CHECK(search.is_decided());
    CHECK(search.is_below(to_key(std::numeric_limits<double>::max()), 7));
    CHECK(search.half(false).max[1] == 2);
    CHECK(search.half(true).min[1] == 2);
}

TEST_CASE("searches with more candidates than fit stay undecided") {
    check_overflow<Buffers>(geometry_variants().front().bodies);
}

TEST_CASE("cores skip no round that coincident points need") {
    check_overflow<Buffers>(geometry_variants().front().bodies, Takers::cores);
}

TEST_CASE("chunks are split among groups as sort splits") {
    using Sizes = std::vector<std::size_t>; // lists of candidates take long to make
    const auto variants = geometry_variants();
    for (const GeometryVariant& variant : variants) {
        CAPTURE(variant.name);
        const bool is_last = &variant == &variants.back(); // the other variants compute the same
        const Sizes most{7, 64, 3001};
        for (const std::size_t n : is_last ? most : Sizes{301}) {
            CAPTURE(n);
            check_sets(variant.bodies, n);
        }
    }
}
