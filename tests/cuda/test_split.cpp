// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/split_run.hpp"

namespace {

void check_sets(std::size_t n, TakesTurns& taken) {
    const auto gpu = gpu_geometry();
    for (const auto& set : point_sets(n)) {
        CAPTURE(set.name);
        for (const int group_level : {0, 1, 3}) { // at most 64 groups
            if (!taken()) {
                continue;
            }
            check_split<DeviceBuffers>(gpu, set.points, group_level, 3);
            if (n < starfmm::candidate_list_size) {
                check_split<DeviceBuffers>(gpu, set.points, group_level, 3, 1);
            }
        }
    }
}

} // namespace

TEST_CASE("split and deal: CUDA gives the groups that sort defines") {
    TakesTurns taken;
    for (const std::size_t wanted : {7, 3001, 100'003}) {
        const std::size_t n = wanted < 5000 ? wanted : scene_size(wanted);
        CAPTURE(n);
        check_sets(n, taken);
    }
}

TEST_CASE("split: CUDA leaves searches with more candidates than fit undecided") {
    check_overflow<DeviceBuffers>(gpu_geometry());
}
