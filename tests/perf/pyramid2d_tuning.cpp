// SPDX-License-Identifier: BSD-3-Clause
// This benchmark measures what a user who gives only --tol loses to the best of a grid over levels
// and theta, for N = 1e4, 1e5, ... up to --n. Costs are measured before, as the first large plan on
// a machine does.
#include "tests/perf/bench.hpp"
#include "tests/perf/plan_times.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace {

using starfmm::PlanOptions;
using starfmm::PlanTimes;

/// Returns a tree that is picked by hand.
PlanTimes by_hand(const PlanOptions& asked, int levels, double theta) {
    PlanOptions options = asked;
    options.method = starfmm::Method::fmm;
    options.levels = levels;
    options.theta = theta;
    return {
        "levels " + std::to_string(levels) + ", theta " + std::to_string(theta).substr(0, 4),
        options,
        {},
        {}};
}

/// Returns the grid about `levels`, and direct summation of few points.
std::vector<PlanTimes> grid(const PlanOptions& asked, std::size_t n, int levels) {
    constexpr std::size_t few = 30'000;
    std::vector<PlanTimes> ways;
    for (int level = std::max(0, levels - 1); level <= levels + 1; ++level) {
        for (const double theta : {0.4, 0.5, 0.55, 0.6, 0.65}) {
            if (starfmm::n_boxes<2>(level) <= n) {
                ways.push_back(by_hand(asked, level, theta));
            }
        }
    }
    if (n <= few) {
        PlanOptions direct = asked;
        direct.method = starfmm::Method::direct;
        ways.push_back({"direct", direct, {}, {}});
    }
    return ways;
}

/// Times the grid and the automatic choice in turn.
void compare(
    starfmm::Runtime& runtime,
    starfmm::KernelSet& kernel,
    const starfmm::DriverOptions& options,
    std::size_t n
) {
    const starfmm::Problem problem = starfmm::problem_of(options, n);
    const starfmm::Plan first(runtime, kernel, problem.sources, options.plan);
    std::vector<PlanTimes> ways = grid(options.plan, n, first.info().levels);
    ways.push_back({"automatic", options.plan, {}, {}});
    starfmm::time_in_turn(runtime, problem, kernel, options.repeat, ways);
    for (const PlanTimes& way : ways) {
        std::printf(
            "%10zu  %-24s order %2d  %10.3f ms\n",
            n,
            way.name.c_str(),
            way.info.order,
            1e3 * starfmm::median(way.total)
        );
    }
    const PlanTimes automatic = ways.back();
    ways.pop_back();
    const PlanTimes& best = starfmm::fastest(ways);
    std::printf(
        "%10zu  automatic: %s, levels %d, theta %.2f, predicted %.3f ms\n",
        n,
        automatic.info.method == starfmm::Method::fmm ? "fmm" : "direct",
        automatic.info.levels,
        automatic.info.theta,
        1e3 * automatic.info.predicted_fmm_s
    );
    constexpr double bar = 1.10;
    starfmm::print_ratio(
        "N = " + std::to_string(n) + ", automatic / " + best.name,
        starfmm::median_ratio(automatic.total, best.total),
        starfmm::Bar::at_most,
        bar
    );
}

int run(int argc, char** argv) {
    constexpr int rounds = 9;
    const auto options = starfmm::parse_bench_options(argc, argv, "pyramid2d_tuning", rounds);
    if (!options) {
        return 0;
    }
    starfmm::Runtime runtime(options->runtime);
    starfmm::KernelSet& kernel = starfmm::tuned_kernel(runtime, *options);
    for (std::size_t n = 10'000; n <= options->n; n *= 10) {
        compare(runtime, kernel, *options, n);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
