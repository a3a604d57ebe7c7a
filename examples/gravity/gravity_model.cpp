// SPDX-License-Identifier: BSD-3-Clause
// This file prints the performance model's table of the gravity driver.
#include "codelets/pairs/gravity_model.hpp"

#include "examples/cli/progress.hpp"
#include "examples/cli/report.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "schedulers/runtime/machine.hpp"

#include <algorithm>
#include <cstdio>

namespace starfmm {

namespace {

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
    const Bodies bodies = make_bodies(problem);
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
    return median(times);
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
    Progress progress("gravity", options.telling);
    note(options.telling, runtime.notice());
    table.push_back({1, devices, measure(runtime, options, 1)});
    for (std::size_t n = smallest_n; n <= options.model; n *= 4) {
        progress.tell("measuring N = " + std::to_string(n));
        table.push_back({n, devices, measure(runtime, options, n)});
    }
}

} // namespace

void print_model(const DriverOptions& options) {
    const int gpus = options.runtime.gpus < 0 ? available_gpus() : options.runtime.gpus;
    std::vector<Measurement> table;
    GravityMachine machine;
    measure_all(options, std::min(gpus, 1), table, machine);
    const Measurement largest = table.back();
    const GravityFit fit = fit_gravity(machine, table.front().time_s, largest.n, largest.time_s);
    for (int more = 2; more <= gpus; more *= 2) {
        GravityMachine same;
        measure_all(options, more, table, same);
    }
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

} // namespace starfmm
