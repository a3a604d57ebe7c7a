// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels2d.hpp"
#include "schedulers/graphs/grouping.hpp"
#include "schedulers/graphs/tree_data.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using starfmm::default_chunks;
using starfmm::default_groups;

TEST_CASE("grouping: few points or one GPU get one group") {
    CHECK(default_groups(60'000, 7, 1, 0) == 1);
    CHECK(default_groups(1'000'000, 7, 0, 1) == 1);
    CHECK(default_groups(1000, 3, 16, 0) == 1);
    CHECK(default_groups(1'000'000, 0, 16, 0) == 1);
    CHECK(default_groups(1, 0, 2, 2) == 1);
}

TEST_CASE("grouping: more workers get more groups, a power of four, each worth a task") {
    for (const std::size_t n : {10'000, 100'000, 1'000'000, 100'000'000}) {
        int last = 0;
        for (const int workers : {1, 2, 4, 16, 64}) {
            const int groups = default_groups(n, 10, workers, 0);
            CHECK((groups == 1 || groups == 4 || groups == 16 || groups == 64));
            CHECK(groups >= last);
            CHECK((groups == 1 || n / static_cast<std::size_t>(groups) >= 4096));
            last = groups;
        }
    }
    CHECK(default_groups(1'000'000, 10, 16, 0) == 16); // 64 would have too many pieces
    CHECK(default_groups(10'000'000, 10, 16, 0) == 64);
    CHECK(default_groups(100'000'000, 10, 4, 0) >= 4);
    CHECK(default_groups(100'000'000, 10, 64, 0) == 64);
    CHECK(default_groups(100'000'000, 2, 64, 0) <= 16); // groups are boxes of a level
}

TEST_CASE("grouping: groups are the boxes of a level") {
    CHECK(starfmm::level_of_groups(1) == 0);
    CHECK(starfmm::level_of_groups(4) == 1);
    CHECK(starfmm::level_of_groups(64) == 3);
}

TEST_CASE("grouping: an octree's groups are as many as workers need, of lists that fit an array") {
    using starfmm::default_runs;
    constexpr std::size_t short_lists = 1'000'000;
    constexpr std::size_t long_lists = std::size_t(10) << 30U; // four arrays
    CHECK(default_runs(1'000'000, short_lists, 1, 0) == 1);
    CHECK(default_runs(1'000'000, short_lists, 2, 0) == 8);
    CHECK(default_runs(1'000'000, short_lists, 3, 0) == 12);
    CHECK(default_runs(1'000'000, short_lists, 64, 0) == 64);
    CHECK(default_runs(1000, short_lists, 16, 0) == 1);
    CHECK(default_runs(20'000, short_lists, 16, 0) == 4);
    CHECK(default_runs(100'000'000, long_lists, 1, 0) == 4);
    CHECK(default_runs(1'000'000, short_lists, 0, 2) == 1);
    CHECK(default_runs(30'000'000, short_lists, 0, 2) == 2);
    CHECK(default_runs(30'000'000, short_lists, 0, 3) == 3);
    CHECK(default_runs(100'000'000, long_lists, 0, 1) == 4);
    CHECK(default_runs(100'000'000, long_lists, 0, 3) == 6); // two each
    CHECK(default_runs(1'000'000, short_lists, 15, 1) == 64);
    CHECK(default_runs(10'000'000, short_lists, 0, 1, std::size_t(1) << 30U) == 6);
}

TEST_CASE("grouping: several GPUs share many points, a chunk each") {
    CHECK(default_groups(1'000'000, 7, 0, 2) == 1);
    CHECK(default_groups(100'000'000, 10, 0, 2) == 16);
    CHECK(default_chunks(1'000'000, 0, 2, 0) == 1);
    CHECK(default_chunks(100'000'000, 0, 1, 0) == 1);
    CHECK(default_chunks(100'000'000, 0, 2, 0) == 2);
    CHECK(default_chunks(100'000'000, 0, 4, 0) == 4);
    CHECK(default_chunks(100'000'000, 1, 0, 0) == 1);
}

TEST_CASE("grouping: several cores split points side by side") {
    CHECK(default_chunks(1'000'000, 2, 0, 0) == 1);
    CHECK(default_chunks(10'000'000, 16, 0, 0) == 24);
    CHECK(default_chunks(1'000'000, 16, 0, 0) == 11);
    CHECK(default_chunks(100'000, 16, 0, 0) == 1);
    CHECK(default_chunks(1000, 16, 0, 0) == 1);
    CHECK(default_chunks(100'000'000, 128, 0, 0) == 32);
}

TEST_CASE("grouping: a GPU whose memory is short gets groups that fit it") {
    constexpr std::size_t gigabyte = std::size_t(1) << 30;
    CHECK(default_groups(1'000'000, 9, 0, 1, 100 * gigabyte) == 1);
    CHECK(default_groups(200'000'000, 11, 0, 1, 4 * gigabyte) == 64);
    CHECK(default_groups(10'000'000, 9, 0, 1, gigabyte) == 16);
    CHECK(default_chunks(200'000'000, 0, 1, 4 * gigabyte) == 7);
    CHECK(default_chunks(1'000'000, 0, 1, 100 * gigabyte) == 1);
    CHECK(default_chunks(4'000'000'000, 0, 1, gigabyte) == 64);
}

TEST_CASE("grouping: the bytes of a plan's arrays") {
    starfmm::TreeData data;
    data.n_sources = data.n_targets = 64;
    data.levels = 2;
    data.group_level = 1;
    data.n_coefficients = 9;
    data.make_groups();
    REQUIRE(data.groups.size() == 4);
    const std::size_t reals = 64 * (2 + 1 + 4) + 20 * (3 + 2 * 2 * 9);
    const std::size_t words = 64 + 4 * (data.groups[0].list_layout.words() + 4);
    const auto& harmonic = starfmm::kernel_set<starfmm::Harmonic<double, false>>().traits;
    CHECK(data.n_bytes(harmonic) == 8 * reals + 4 * words);
    data.sets = starfmm::PointSets::two;
    CHECK(data.n_bytes(harmonic) == 8 * (reals + 2UL * 64) + 4 * (words + 64));
}
