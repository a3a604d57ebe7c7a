// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/plan_times.hpp"

#include "examples/report.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

namespace starfmm {

namespace {

double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

} // namespace

Problem problem_of(const DriverOptions& options, std::size_t n) {
    DriverOptions sized = options;
    sized.n = n;
    return make_problem(sized);
}

void time_in_turn(
    Runtime& runtime,
    const Problem& problem,
    KernelSet& kernel,
    int rounds,
    std::vector<PlanTimes>& ways
) {
    Potentials potentials;
    const auto locks = page_lock(problem, potentials);
    std::vector<std::size_t> order(ways.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::mt19937_64 engine(1);
    for (int round = -1; round < rounds; ++round) {
        std::shuffle(order.begin(), order.end(), engine); // what runs after a slow way is slower
        for (const std::size_t i : order) {
            PlanTimes& way = ways[i];
            const double start = now();
            Plan plan(runtime, kernel, problem.sources, way.options);
            plan.evaluate(problem.strengths, potentials);
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
