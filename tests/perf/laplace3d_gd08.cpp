// SPDX-License-Identifier: BSD-3-Clause
// This benchmark repeats the measurements of [GD08], with today's numbers beside the paper's. It
// prints times of each phase and errors for p = 4, 8 and 12 at the leaf size that is best for each
// (Table 8), with gradients (Table 11), and the number of points from which on the tree is faster
// than direct summation (Fig 11). There are N sources of strengths in (0, 1] in the unit cube and N
// + 1 targets, N = 2^20 or --n.
#include "examples/cli/driver.hpp"
#include "tests/perf/bench.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

using starfmm::DriverOptions;
using starfmm::Method;
using starfmm::RunReport;

/// Columns of Table 8.
constexpr std::array phases{"S exp", "Up trans", "Down trans", "R eval", "Sparse"};

/// One way of computing in the paper: seconds of phases at N = 1048576.
struct PaperRow {
    const char* machine;
    int depth; ///< lmax
    double error;
    std::array<double, 5> phases;
    double total;
    double with_gradient; ///< total of Table 11
};

struct PaperCase {
    int order;
    std::array<PaperRow, 2> rows;
    double gpu_break_even; ///< N for a GPU; for the CPU it is below 1000
};

constexpr const char* core_of_2008 = "Core 2, one core";
constexpr const char* gpu_of_2008 = "GeForce 8800 GTX";

constexpr std::array<PaperCase, 3> paper{
    {{4,
      {{{core_of_2008, 6, 2.3e-4, {0.34, 0.19, 15.06, 0.34, 6.31}, 22.25, 28.37},
        {gpu_of_2008, 4, 2.3e-4, {0.011, 0.00046, 0.061, 0.011, 0.60}, 0.6835, 0.979}}},
      1e4},
     {8,
      {{{core_of_2008, 5, 8.8e-6, {0.83, 0.12, 8.42, 0.85, 40.95}, 51.17, 88.09},
        {gpu_of_2008, 4, 8.3e-6, {0.020, 0.00218, 0.265, 0.021, 0.60}, 0.9082, 1.227}}},
      3e4},
     {12,
      {{{core_of_2008, 5, 1.3e-6, {1.91, 0.33, 21.30, 1.93, 40.95}, 66.56, 116.1},
        {gpu_of_2008, 4, 9.5e-7, {0.040, 0.00562, 0.72, 0.030, 0.59}, 1.395, 1.761}}},
      7e4}}};

/// Seconds by column of Table 8, and those in none of its columns: the tree, lists, and gathering.
struct PhaseTimes {
    std::array<double, 5> phases{};
    double others = 0;
};

PhaseTimes phase_times(const RunReport& report) {
    static const std::map<std::string, std::size_t> columns{
        {"p2m", 0}, {"m2m", 1}, {"m2l", 2}, {"l2l", 2}, {"l2p", 3}, {"p2p", 4}};
    PhaseTimes times;
    for (const starfmm::Phase& phase : report.phases) {
        const auto column = columns.find(phase.name);
        (column == columns.end() ? times.others : times.phases[column->second]) += phase.time_s;
    }
    return times;
}

/// Runs the options `asked` with `n` sources and one target more.
RunReport run_case(DriverOptions asked, std::size_t n) {
    asked.n = n;
    asked.targets = n + 1;
    asked.strength_sign = starfmm::StrengthSign::positive;
    const starfmm::Problem problem = starfmm::make_problem(asked);
    std::vector<starfmm::Potentials> potentials;
    const starfmm::Kernel kernel = starfmm::Laplace3d{.gradient = asked.gradient};
    return starfmm::run_problem("laplace3d_gd08", asked, kernel, problem, potentials);
}

DriverOptions options_of(const DriverOptions& asked, int order) {
    DriverOptions options = asked;
    options.plan.method = Method::fmm;
    options.plan.order = order;
    options.plan.tolerance = 1e-3; // the order replaces the tolerance
    options.warmup = 1;
    return options;
}

/// Returns the report of the leaf size with the least median.
RunReport best_of_leaf_sizes(const DriverOptions& asked) {
    std::vector<RunReport> reports;
    for (const double leaf_size : {30, 45, 64, 90, 128, 180, 256, 360}) {
        DriverOptions options = asked;
        options.plan.leaf_size = leaf_size;
        options.repeat = 1;
        options.check = 0;
        reports.push_back(run_case(options, asked.n));
    }
    const auto best = std::min_element(
        reports.begin(),
        reports.end(),
        [](const RunReport& a, const RunReport& b) {
            return starfmm::median(a.times.total) < starfmm::median(b.times.total);
        }
    );
    DriverOptions options = best->options;
    options.repeat = asked.repeat;
    options.check = 729; // as many targets as the paper checks
    return run_case(options, asked.n);
}

void print_row(const char* machine, int depth, double error, const PhaseTimes& times) {
    std::printf("  %-18s %4d %9.1e", machine, depth, error);
    for (const double time : times.phases) {
        std::printf(" %10.5f", time);
    }
}

void print_case(const PaperCase& which, const RunReport& report, double with_gradient) {
    std::printf("p = %d\n", which.order);
    for (const PaperRow& row : which.rows) {
        print_row(row.machine, row.depth, row.error, {row.phases});
        std::printf(" %10s %10.4f %10.4f\n", "-", row.total, row.with_gradient);
    }
    const PhaseTimes times = phase_times(report);
    const double total = starfmm::median(report.times.total);
    const char* const machine = report.n_cuda > 0 ? "today, GPU" : "today, cores";
    print_row(machine, report.plan.levels, report.errors->parts.front().l2, times);
    std::printf(" %10.5f %10.4f %10.4f\n", times.others, total, with_gradient);
    std::printf(
        "  leaves of at most %u points; of the paper's totals: %.3g of the core's, %.3g of the "
        "GPU's\n",
        report.plan.leaf_size,
        total / which.rows[0].total,
        total / which.rows[1].total
    );
}

/// Median seconds of a whole run.
double time_of(DriverOptions options, std::size_t n, Method method) {
    options.plan.method = method;
    options.check = 0;
    return starfmm::median(run_case(options, n).times.total);
}

/// Returns the least N of a ladder from which on the tree is faster; 0: not even for the largest.
std::size_t break_even(const DriverOptions& asked, int order) {
    std::size_t least = 0;
    for (std::size_t n = 1 << 17; n >= 1 << 9; n = n * 10 / 14) {
        const DriverOptions options = options_of(asked, order);
        if (time_of(options, n, Method::fmm) >= time_of(options, n, Method::direct)) {
            break;
        }
        least = n;
    }
    return least;
}

void print_break_even(const DriverOptions& asked) {
    std::printf("\nthe tree is faster than direct summation, with gradients, from N =\n");
    DriverOptions options = asked;
    options.gradient = true;
    for (const PaperCase& each : paper) {
        std::printf(
            "  p = %-2d  today %-8zu paper: core below 1000, GPU about %g\n",
            each.order,
            break_even(options, each.order),
            each.gpu_break_even
        );
    }
}

int run(int argc, char** argv) {
    constexpr int rounds = 5;
    auto asked = starfmm::parse_bench_options(argc, argv, "laplace3d_gd08", rounds, 3);
    if (!asked) {
        return 0;
    }
    if (asked->n == DriverOptions{}.n) {
        asked->n = std::size_t(1) << 20;
    }
    std::printf("N = %zu, M = N + 1; seconds, of phases summed over workers\n", asked->n);
    std::printf("  %-18s %4s %9s", "", "lmax", "error");
    for (const char* const phase : phases) {
        std::printf(" %10s", phase);
    }
    std::printf(" %10s %10s %10s\n", "tree etc.", "total", "gradient");
    for (const PaperCase& each : paper) {
        DriverOptions options = options_of(*asked, each.order);
        options.gradient = false;
        const RunReport report = best_of_leaf_sizes(options);
        options.gradient = true;
        const RunReport with_gradient = best_of_leaf_sizes(options);
        print_case(each, report, starfmm::median(with_gradient.times.total));
    }
    print_break_even(*asked);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
