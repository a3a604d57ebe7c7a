// SPDX-License-Identifier: BSD-3-Clause
// Which random cases are run, and by which workers. Environment: STARFMM_RANDOM_SEED,
// STARFMM_RANDOM_CASES (how many), and STARFMM_RANDOM_CASE (that one alone).
#pragma once

#include "schedulers/runtime/machine.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

inline std::size_t random_setting(const char* name, std::size_t otherwise) {
    const char* const value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// Cases [begin, end) of a seed.
struct RandomRange {
    std::size_t seed;
    std::size_t begin;
    std::size_t end;

    [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// What the environment asks for, else `usual` cases.
inline RandomRange random_range(std::size_t usual) {
    const std::size_t n = random_setting("STARFMM_RANDOM_CASES", usual);
    const std::size_t only = random_setting("STARFMM_RANDOM_CASE", n);
    const bool is_one = std::getenv("STARFMM_RANDOM_CASE") != nullptr;
    return {random_setting("STARFMM_RANDOM_SEED", 1), is_one ? only : 0, is_one ? only + 1 : n};
}

/// Who works: StarPU starts once for all of its cases.
struct RandomWorkers {
    starfmm::Execution execution;
    starfmm::RuntimeOptions options;
};

inline std::vector<RandomWorkers> all_random_workers() {
    using starfmm::Execution;
    const int cores = std::min(2, starfmm::available_cores());
    const int gpus = std::min(2, starfmm::available_gpus());
    std::vector<RandomWorkers> all{{Execution::tasks, {1, 0, ""}}};
    if (gpus > 0) {
        all.push_back({Execution::tasks, {0, 1, ""}});
        all.push_back({Execution::tasks, {cores, 1, "random"}}); // work for both kinds
        all.push_back({Execution::tasks, {cores, gpus, ""}});
    } else {
        all.push_back({Execution::in_order, {}});
        all.push_back({Execution::tasks, {cores, 0, ""}});
        all.push_back({Execution::tasks, {cores, 0, "random"}});
    }
    return all;
}

/// How to run a case again.
inline std::string label(const starfmm::Runtime& runtime, std::size_t seed, std::size_t number) {
    return "STARFMM_RANDOM_SEED=" + std::to_string(seed) +
           " STARFMM_RANDOM_CASE=" + std::to_string(number) + ": --cpus " +
           std::to_string(runtime.n_cpu()) + " --gpus " + std::to_string(runtime.n_cuda()) +
           " --scheduler " + runtime.policy() + ' ';
}

/// Calls check(runtime, number) for each case, whose workers its number decides.
template <class Check>
void for_random_cases(const RandomRange& range, const Check& check) {
    const auto workers = all_random_workers();
    for (std::size_t kind = 0; kind < workers.size(); ++kind) {
        const std::size_t skipped =
            (kind + workers.size() - range.begin % workers.size()) % workers.size();
        if (range.begin + skipped >= range.end) {
            continue;
        }
        starfmm::Runtime runtime(workers[kind].options, workers[kind].execution);
        for (std::size_t number = range.begin + skipped; number < range.end;
             number += workers.size()) {
            check(runtime, number);
        }
    }
}
