// SPDX-License-Identifier: BSD-3-Clause
// Who works in tests with random options.
#pragma once

#include "schedulers/runtime/machine.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <algorithm>
#include <vector>

/// Who works: StarPU starts once for all of its cases.
struct Workers {
    starfmm::Execution execution;
    starfmm::RuntimeOptions options;
};

inline std::vector<Workers> all_workers() {
    const int cores = std::min(2, starfmm::available_cores());
    const int gpus = std::min(2, starfmm::available_gpus());
    std::vector<Workers> all{{starfmm::Execution::tasks, {1, 0, ""}}};
    if (gpus > 0) {
        all.push_back({starfmm::Execution::tasks, {0, 1, ""}});
        all.push_back({starfmm::Execution::tasks, {cores, 1, "random"}}); // work for both kinds
        all.push_back({starfmm::Execution::tasks, {cores, gpus, ""}});
    } else {
        all.push_back({starfmm::Execution::in_order, {}});
        all.push_back({starfmm::Execution::tasks, {cores, 0, ""}});
        all.push_back({starfmm::Execution::tasks, {cores, 0, "random"}});
    }
    return all;
}
