// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/targets_run.hpp"

namespace {

void check_targets(const starfmm::Points<2>& points, int group_level) {
    CAPTURE(group_level);
    Targets<Buffers> expected(3, group_level, points);
    expected.sort(body<starfmm::SortTargetsTask>(cpu_geometry()));
    Targets<DeviceBuffers> targets(3, group_level, points);
    targets.sort(body<starfmm::SortTargetsTask>(gpu_geometry()));
    CHECK(targets.offsets == expected.offsets);
    CHECK(targets.permutation == expected.permutation);
    CHECK(targets.positions == expected.positions);
}

} // namespace

TEST_CASE("sort_targets: CUDA gives the CPU's order bit by bit") {
    TakesTurns taken;
    for (const std::size_t wanted : {1, 2, 31, 1009, 20'011}) {
        const std::size_t m = wanted < 5000 ? wanted : scene_size(wanted);
        CAPTURE(m);
        for (const auto& set : point_sets(m)) {
            CAPTURE(set.name);
            for (const int group_level : {0, 1, 2}) {
                if (taken()) {
                    check_targets(set.points, group_level);
                }
            }
        }
    }
}
