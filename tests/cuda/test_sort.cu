// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/tree/sort/rank_bins.cuh"
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/sort_run.hpp"

namespace {

/// Makes sets that defeat a key that trusts samples: heavy tails, tight clusters that no or every
/// sample meets, the order of the points, ties beside near ties, ranges that overflow.
std::vector<NamedPoints> hard_point_sets(std::size_t n) {
    Random random(7);
    const auto uniform = [&random](double scale) { return scale * random(0, 1); };
    const auto make = [n](const char* name, const auto& point) {
        return named_points(name, n, point);
    };
    using Pair = std::pair<double, double>;
    constexpr double largest = std::numeric_limits<double>::max();
    return {
        make(
            "heavy tails",
            [&](auto) { return Pair(1 / uniform(1e-3) - 2000, std::pow(uniform(1), -3.)); }
        ),
        make(
            "100 clusters",
            [&](auto i) {
                return Pair(std::sin(i % 100) + uniform(1e-10), std::cos(i % 100) + uniform(1e-10));
            }
        ),
        make(
            "unseen clusters",
            [&](auto i) {
                return Pair(
                    i % 1000 == 7 ? 0.5 + uniform(1e-10) : i % 2, i % 3 ? 1 : uniform(1e-13)
                );
            }
        ),
        make(
            "half coincident",
            [&](auto i) {
                return i % 2 == 0 ? Pair(0.5 + uniform(1e-9), uniform(1)) : Pair(0.5, 0.5);
            }
        ),
        make("reversed", [&](auto i) { return Pair(-double(i), uniform(1)); }),
        make("lattice", [](auto i) { return Pair(double(i % 173), double(i / 173)); }),
        make("extremes", [&](auto i) {
            return Pair(
                i < 2 ? (i == 0 ? largest : -largest) : uniform(1), i == 3 ? 1e30 : uniform(1)
            );
        })};
}

NamedPoints random_points(std::size_t n) {
    Random random(11);
    NamedPoints set{"random", {}};
    for (std::vector<double>& x : set.points.x) {
        x = random.numbers<double>(n, -1, 1);
    }
    return set;
}

void check_sort(const NamedPoints& set, int levels, int group_level) {
    CAPTURE(set.name);
    CAPTURE(levels);
    CAPTURE(group_level);
    const auto cpu = cpu_geometry();
    const auto gpu = gpu_geometry();
    const auto expected = Sort<Buffers>(cpu, set.points, levels, group_level).run();
    CHECK(Sort<DeviceBuffers>(gpu, set.points, levels, group_level).run() == expected);
}

void check_sets(const std::vector<NamedPoints>& sets, std::size_t n, TakesTurns& taken) {
    for (const auto& set : sets) {
        for (const int levels : n < 100 ? std::vector{0, 1, 4} : std::vector{1, 5}) {
            for (int group_level = 0; group_level <= std::min(levels, 2); ++group_level) {
                if (taken()) {
                    check_sort(set, levels, group_level);
                }
            }
        }
    }
}

} // namespace

TEST_CASE("sort: CUDA gives the CPU's tree bit by bit") {
    TakesTurns taken;
    // Sizes that are ranked in one block, and by bins.
    for (const std::size_t wanted : {0, 1, 2, 3, 17, 4096, 4099, 100'003}) {
        const std::size_t n = wanted < 5000 ? wanted : scene_size(wanted);
        CAPTURE(n);
        check_sets(point_sets(n), n, taken);
        check_sets(hard_point_sets(n), n, taken);
    }
}

TEST_CASE("sort: CUDA gives the CPU's tree of a million points") {
    const std::size_t n = scene_size(1'000'003);
    for (const auto& set : hard_point_sets(n)) {
        check_sort(set, 7, 0);
    }
}

TEST_CASE("sort: CUDA gives the CPU's tree where lists take turns between buffers") {
    check_sort(random_points(scene_size(3'500'000)), 8, 0);
}

// Twenty million points, which no smaller scene can replace, go through a sort of CUB's own.
TEST_CASE("rank: CUDA ranks more points than bins are made for" * doctest::skip(small_scenes())) {
    check_sort(random_points(starfmm::most_binned + 1), 0, 0);
}
