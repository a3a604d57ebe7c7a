// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/overhead.hpp"

#include "schedulers/runtime/machine.hpp"
#include "tests/perf/bench.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace starfmm {

namespace {

void compare(const std::vector<Times>& times, double overhead_bar) {
    const Times& reference = times[0];
    const Times& one = times[1];
    print_ratio(
        "evaluate, StarPU / without",
        median_ratio(one.evaluate, reference.evaluate),
        Bar::at_most,
        overhead_bar
    );
    print_ratio(
        "total, StarPU / without",
        median_ratio(one.total, reference.total),
        Bar::at_most,
        overhead_bar
    );
    if (times.size() > 2) {
        constexpr double speedup_bar = 1.8;
        const Times& two = times[2];
        const double speedup = median_ratio(one.evaluate, two.evaluate);
        print_ratio("evaluate, speed-up by 2 workers", speedup, Bar::at_least, speedup_bar);
        std::printf(
            "%-44s %6.3f\n", "total, speed-up by 2 workers", median_ratio(one.total, two.total)
        );
    }
}

} // namespace

int run_overhead(int argc, char** argv, const OverheadBench& bench) {
    constexpr int rounds = 9;
    auto options = parse_bench_options(argc, argv, bench.name, rounds, bench.dimension);
    if (!options) {
        return 0;
    }
    options->plan.tuning = Tuning::builtin; // the same tree for all
    const Problem problem = make_problem(*options);
    std::vector<BenchCase> cases{
        {"in order, without StarPU", &problem, 1, Execution::in_order},
        {"StarPU, 1 worker", &problem, 1}};
    if (available_cores() > 1) {
        cases.push_back({"StarPU, 2 workers", &problem, 2});
    }
    const auto times = interleave(cases, *options);
    std::printf("N = %zu, %d rounds\n", problem.sources.size(), options->repeat);
    print_cases(cases, times);
    compare(times, bench.bar);
    return 0;
}

} // namespace starfmm
