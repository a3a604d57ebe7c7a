// SPDX-License-Identifier: BSD-3-Clause
// What StarPU costs, and what a second worker gains: the same plan and evaluation with one StarPU
// worker, without StarPU, and with two workers.
#include "schedulers/runtime/machine.hpp"
#include "tests/perf/bench.hpp"

#include <cstdio>

namespace {

using starfmm::Bar;

void compare(const std::vector<starfmm::Times>& times) {
    const starfmm::Times& reference = times[0];
    const starfmm::Times& one = times[1];
    constexpr double overhead_bar = 1.05;
    print_ratio(
        "evaluate, StarPU / without",
        starfmm::median_ratio(one.evaluate, reference.evaluate),
        Bar::at_most,
        overhead_bar
    );
    print_ratio(
        "total, StarPU / without",
        starfmm::median_ratio(one.total, reference.total),
        Bar::at_most,
        overhead_bar
    );
    if (times.size() > 2) {
        constexpr double speedup_bar = 1.8;
        const starfmm::Times& two = times[2];
        const double speedup = starfmm::median_ratio(one.evaluate, two.evaluate);
        print_ratio("evaluate, speed-up by 2 workers", speedup, Bar::at_least, speedup_bar);
        std::printf(
            "%-44s %6.3f\n",
            "total, speed-up by 2 workers",
            starfmm::median_ratio(one.total, two.total)
        );
    }
}

int run(int argc, char** argv) {
    constexpr int rounds = 9;
    auto options = starfmm::parse_bench_options(argc, argv, "pyramid2d_overhead", rounds);
    if (!options) {
        return 0;
    }
    options->plan.tuning = starfmm::Tuning::builtin; // the same tree for all
    const starfmm::Problem problem = starfmm::make_problem(*options);
    std::vector<starfmm::BenchCase> cases{
        {"in order, without StarPU", &problem, 1, starfmm::Execution::in_order},
        {"StarPU, 1 worker", &problem, 1}};
    if (starfmm::available_cores() > 1) {
        cases.push_back({"StarPU, 2 workers", &problem, 2});
    }
    const auto times = starfmm::interleave(cases, *options);
    std::printf("N = %zu, %d rounds\n", problem.sources.size(), options->repeat);
    print_cases(cases, times);
    compare(times);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
