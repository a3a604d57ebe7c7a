// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/plan_times.hpp"

#include "examples/cli/progress.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/costs/tuning.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace starfmm {

Problem problem_of(const DriverOptions& options, std::size_t n) {
    DriverOptions sized = options;
    sized.n = n;
    return make_problem(sized);
}

KernelSet& tuned_kernel(Runtime& runtime, const DriverOptions& options) {
    constexpr std::size_t large = 1'000'000;
    KernelSet& kernel = choose_kernel(options, problem_of(options, 1000));
    static_cast<void>(tuned_costs(runtime, kernel, options.plan, {large, large, false}));
    return kernel;
}

void time_in_turn(
    Runtime& runtime,
    const Problem& problem,
    KernelSet& kernel,
    int rounds,
    std::vector<PlanTimes>& ways
) {
    Potentials potentials;
    const auto locks = page_lock(problem, {&potentials, 1});
    std::vector<std::size_t> order(ways.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::mt19937_64 engine(1);
    for (int round = -1; round < rounds; ++round) {
        std::shuffle(order.begin(), order.end(), engine); // what runs after a slow way is slower
        for (const std::size_t i : order) {
            PlanTimes& way = ways[i];
            const double start = now();
            Plan plan(runtime, kernel, problem.sources, way.options);
            plan.evaluate(problem.strengths.front(), potentials);
            if (round >= 0) {
                way.total.push_back(now() - start);
            }
            way.info = plan.info();
        }
    }
}

const PlanTimes& fastest(const std::vector<PlanTimes>& ways) {
    return *std::min_element(ways.begin(), ways.end(), [](const PlanTimes& a, const PlanTimes& b) {
        return median(a.total) < median(b.total);
    });
}

} // namespace starfmm
