// SPDX-License-Identifier: BSD-3-Clause
// This benchmark prints a table of measured times of direct sums for N from 1024 up to --n by factors
// of 4, on 1, 2, 4 ... GPUs or all CPU workers. Beside them are the times that [MTM13 sec. 6]
// predicts from the first and the last on one GPU.
#include "codelets/pairs/gravity_model.hpp"

#include "examples/cli/progress.hpp"
#include "examples/cli/report.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/perf/bench.hpp"

#include <algorithm>
#include <cstdio>

namespace {

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::DriverOptions;
using starfmm::GravityFit;
using starfmm::GravityMachine;
using starfmm::GravityTree;
using starfmm::now;
using starfmm::Runtime;
using starfmm::RuntimeOptions;

constexpr std::size_t smallest_n = 1024;

struct Measurement {
    std::size_t n;
    std::size_t devices;
    double time_s;
};

/// Median seconds of a few evaluations, after one that is not counted.
double measure(Runtime& runtime, const DriverOptions& options, std::size_t n) {
    constexpr double enough_s = 0.2;
    constexpr int most = 20;
    DriverOptions problem = options;
    problem.n = n;
    const Bodies bodies = bodies_of(starfmm::make_problem(problem));
    GravityTree gravity(runtime, direct_options(options));
    Accelerations out;
    gravity.evaluate(bodies, out);
    std::vector<double> times;
    const double begin = now();
    do {
        const double start = now();
        gravity.evaluate(bodies, out);
        times.push_back(now() - start);
    } while (times.size() < most && now() - begin < enough_s);
    return starfmm::median(times);
}

/// Measures all N on one number of GPUs, or on the CPU workers if that is 0.
void measure_all(
    const DriverOptions& options, int gpus, std::vector<Measurement>& table, GravityMachine& machine
) {
    RuntimeOptions workers = options.runtime;
    workers.gpus = gpus;
    Runtime runtime(workers);
    const auto devices = static_cast<std::size_t>(std::max(gpus, 1));
    if (gpus > 0) {
        machine = gravity_gpu(direct_options(options).precision);
    } else {
        machine = gravity_core(direct_options(options).precision);
        machine.multiprocessors = static_cast<std::size_t>(runtime.n_cpu());
    }
    starfmm::Progress progress("gravity_model", options.telling);
    note(options.telling, runtime.notice());
    table.push_back({1, devices, measure(runtime, options, 1)});
    for (std::size_t n = smallest_n; n <= options.n; n *= 4) {
        progress.tell("measuring N = " + std::to_string(n));
        table.push_back({n, devices, measure(runtime, options, n)});
    }
}

void print(
    const std::vector<Measurement>& table, const GravityMachine& machine, const GravityFit& fit
) {
    std::printf(
        "performance model [MTM13 sec. 6]: %.3g cycles a pair and lane, %.3g s to start\n"
        "%10s %8s %14s %14s %8s\n",
        fit.pair_cycles,
        fit.start_s,
        "N",
        "devices",
        "measured [s]",
        "predicted [s]",
        "ratio"
    );
    for (const Measurement& row : table) {
        const double predicted = gravity_time(machine, fit, row.n, row.devices);
        std::printf(
            "%10zu %8zu %14.6e %14.6e %8.3f\n",
            row.n,
            row.devices,
            row.time_s,
            predicted,
            row.time_s / predicted
        );
    }
}

int run(int argc, char** argv) {
    const starfmm::DriverText text{
        .name = "gravity_model",
        .summary = "Times of direct gravity, and what a performance model says of them.",
        .examples = {"--n 1e6 --precision single"},
        .lacking = starfmm::not_of_direct_sums};
    const auto read = starfmm::parse_gravity_options(argc, argv, text);
    if (!read) {
        return 0;
    }
    const DriverOptions& options = *read;
    const int gpus = options.runtime.gpus < 0 ? starfmm::available_gpus() : options.runtime.gpus;
    std::vector<Measurement> table;
    GravityMachine machine;
    measure_all(options, std::min(gpus, 1), table, machine);
    const Measurement largest = table.back();
    const GravityFit fit = fit_gravity(machine, table.front().time_s, largest.n, largest.time_s);
    for (int more = 2; more <= gpus; more *= 2) {
        GravityMachine same;
        measure_all(options, more, table, same);
    }
    print(table, machine, fit);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
