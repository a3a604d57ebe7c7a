// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/plan_times.hpp"

#include "examples/report.hpp"

#include <algorithm>
#include <chrono>

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
    for (int round = -1; round < rounds; ++round) {
        for (PlanTimes& way : ways) {
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
