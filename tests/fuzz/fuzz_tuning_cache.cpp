// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/tuning_cache.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <cmath>

/// What is damaged holds nothing; what is read are costs.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
    return check_reader(bytes, n, [](const std::string& path) {
        const auto costs = starfmm::read_costs(path, "key");
        const auto is_cost = [](double value) { return std::isfinite(value) && value >= 0; };
        if (costs) {
            require(std::ranges::all_of(costs->costs.fmm, is_cost));
            require(std::ranges::all_of(costs->cores.direct, is_cost));
            for (const auto& [name, own] : costs->tasks) {
                require(is_cost(own.cpu.unit) && is_cost(own.cuda.front().fixed));
            }
            require(is_cost(costs->busy) && costs->attempts >= 1);
        }
    });
}
