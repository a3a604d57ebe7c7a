// SPDX-License-Identifier: BSD-3-Clause
// This benchmark finds from how many points on the tree is faster than direct summation, and what
// --method auto loses to the faster of the two, for up to --n points, at most 50000.
#include "tests/perf/bench.hpp"
#include "tests/perf/plan_times.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace {

using starfmm::Method;
using starfmm::PlanTimes;

struct Row {
    std::size_t n;
    double direct; ///< medians [s]
    double fmm;
    double loss; ///< loss of auto against the faster method
};

Row measure(
    starfmm::Runtime& runtime,
    starfmm::KernelSet& kernel,
    const starfmm::DriverOptions& options,
    std::size_t n
) {
    const starfmm::Problem problem = starfmm::problem_of(options, n);
    std::vector<PlanTimes> ways;
    for (const auto& [name, method] :
         {std::pair("direct", Method::direct), {"fmm", Method::fmm}, {"auto", Method::automatic}}) {
        starfmm::PlanOptions plan = options.plan;
        plan.method = method;
        ways.push_back({name, plan, {}, {}});
    }
    starfmm::time_in_turn(runtime, problem, kernel, options.repeat, ways);
    const PlanTimes automatic = ways.back();
    ways.pop_back();
    const Row row{
        n,
        starfmm::median(ways[0].total),
        starfmm::median(ways[1].total),
        starfmm::median_ratio(automatic.total, starfmm::fastest(ways).total)};
    std::printf(
        "%8zu %12.4f %12.4f  levels %d theta %.2f %12.4f %-6s %8.3f\n",
        n,
        1e3 * row.direct,
        1e3 * row.fmm,
        ways[1].info.levels,
        ways[1].info.theta,
        1e3 * starfmm::median(automatic.total),
        automatic.info.method == Method::fmm ? "fmm" : "direct",
        row.loss
    );
    return row;
}

/// Returns the least N from which on the tree is faster; 0: not even for the largest.
std::size_t break_even(const std::vector<Row>& rows) {
    std::size_t n = 0;
    for (auto row = rows.rbegin(); row != rows.rend() && row->fmm < row->direct; ++row) {
        n = row->n;
    }
    return n;
}

int run(int argc, char** argv) {
    constexpr int rounds = 21;
    constexpr double loss_bar = 1.10;
    const auto options = starfmm::parse_bench_options(argc, argv, "pyramid2d_break_even", rounds);
    if (!options) {
        return 0;
    }
    starfmm::Runtime runtime(options->runtime);
    starfmm::KernelSet& kernel = starfmm::tuned_kernel(runtime, *options);
    std::printf(
        "%8s %12s %12s %29s %23s\n", "N", "direct [ms]", "fmm [ms]", "auto [ms]", "auto / faster"
    );
    std::vector<Row> rows;
    for (const std::size_t n :
         {500, 1000, 1250, 1500, 2000, 3000, 5000, 7000, 10'000, 14'000, 20'000, 30'000, 50'000}) {
        if (n <= options->n) {
            rows.push_back(measure(runtime, kernel, *options, n));
        }
    }
    const auto worst = std::max_element(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return a.loss < b.loss;
    });
    std::printf("the tree is faster from N = %zu on\n", break_even(rows));
    const std::string name = "auto / faster, N = " + std::to_string(worst->n);
    starfmm::print_ratio(name, worst->loss, starfmm::Bar::at_most, loss_bar);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
