// SPDX-License-Identifier: BSD-3-Clause
// This benchmark measures how time grows with N, and with uneven distributions: 4 N against N, and
// normal and layer against uniform at N, with one worker and with two.
#include "schedulers/runtime/machine.hpp"
#include "tests/perf/bench.hpp"

#include <algorithm>
#include <cstdio>

namespace {

using starfmm::Bar;
using starfmm::Distribution;

struct Problems {
    starfmm::Problem uniform;
    starfmm::Problem larger;
    starfmm::Problem normal;
    starfmm::Problem layer;
};

Problems make_problems(starfmm::DriverOptions options) {
    const auto make = [&options](Distribution distribution, std::size_t n) {
        options.distribution = distribution;
        options.n = n;
        return starfmm::make_problem(options);
    };
    const std::size_t n = options.n;
    return {
        make(Distribution::uniform, n),
        make(Distribution::uniform, 4 * n),
        make(Distribution::normal, n),
        make(Distribution::layer, n)};
}

void measure(const Problems& problems, int cpus, const starfmm::DriverOptions& options) {
    const std::vector<starfmm::BenchCase> cases{
        {"uniform, N", &problems.uniform, cpus},
        {"uniform, 4 N", &problems.larger, cpus},
        {"normal, N", &problems.normal, cpus},
        {"layer, N", &problems.layer, cpus}};
    const auto times = starfmm::interleave(cases, options);
    std::printf(
        "N = %zu, %d workers, %d rounds\n", problems.uniform.sources.size(), cpus, options.repeat
    );
    print_cases(cases, times);
    constexpr double growth_bar = 4.4;
    constexpr double shape_bar = 1.5;
    const auto ratio = [&times](int i) {
        return starfmm::median_ratio(times[i].total, times[0].total);
    };
    print_ratio("total, 4 N / N", ratio(1), Bar::at_most, growth_bar);
    print_ratio("total, normal / uniform", ratio(2), Bar::at_most, shape_bar);
    print_ratio("total, layer / uniform", ratio(3), Bar::at_most, shape_bar);
    std::printf("\n");
}

int run(int argc, char** argv) {
    constexpr int rounds = 5;
    const auto options = starfmm::parse_bench_options(argc, argv, "pyramid2d_growth", rounds);
    if (!options) {
        return 0;
    }
    const Problems problems = make_problems(*options);
    for (int cpus = 1; cpus <= std::min(2, starfmm::available_cores()); ++cpus) {
        measure(problems, cpus, *options);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
