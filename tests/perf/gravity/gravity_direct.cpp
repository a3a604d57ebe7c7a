// SPDX-License-Identifier: BSD-3-Clause
// This benchmark compares direct gravity with the machine's limits. With --gpus 1 it prints the
// rate of a GPU and what StarPU costs there; with more, the speed-up by 2 and 4; with --gpus 0, a
// core against a loop in intrinsics, and two workers.
#include "examples/cli/progress.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/perf/bench.hpp"
#include "tests/perf/gravity/gravity_intrinsics.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace {

using starfmm::Accelerations;
using starfmm::Bar;
using starfmm::Bodies;
using starfmm::DriverOptions;
using starfmm::Execution;

/// One way to sum. A call starts and stops its runtime, as a process has one at a time, and returns
/// the median seconds of evaluations after a first one, which pays for memory.
struct Case {
    std::string name;
    std::function<double()> run;
    std::vector<double> times;
};

/// Median seconds of as many calls as fit into a while, at least one.
double timed(const std::function<void()>& call) {
    constexpr double enough_s = 0.1;
    std::vector<double> times;
    double sum = 0;
    while (sum < enough_s) {
        const double start = starfmm::now();
        call();
        times.push_back(starfmm::now() - start);
        sum += times.back();
    }
    return starfmm::median(times);
}

Case sum_case(
    const std::string& name,
    const DriverOptions& options,
    const Bodies& bodies,
    starfmm::RuntimeOptions workers,
    Execution execution = Execution::tasks
) {
    const auto run = [&options, &bodies, workers, execution] {
        starfmm::Runtime runtime(workers, execution);
        starfmm::GravityTree gravity(runtime, direct_options(options));
        Accelerations out;
        gravity.evaluate(bodies, out);
        return timed([&] { gravity.evaluate(bodies, out); });
    };
    return {name, run, {}};
}

std::vector<float> singles(const std::vector<double>& values) {
    constexpr std::size_t whole = 64;
    std::vector<float> result(values.begin(), values.end());
    result.resize((values.size() + whole - 1) / whole * whole);
    return result;
}

Case loop_case(const DriverOptions& options, const Bodies& bodies) {
    const auto run = [&options, &bodies] {
        const std::vector<float> x[] = {
            singles(bodies.x[0]), singles(bodies.x[1]), singles(bodies.x[2]), singles(bodies.mass)};
        const auto epsilon = static_cast<float>(options.epsilon);
        std::vector<float> out(3 * x[0].size());
        const starfmm::PlainBodies plain{
            x[0].size(), x[0].data(), x[1].data(), x[2].data(), x[3].data(), epsilon * epsilon};
        return timed([&] { starfmm::gravity_loop(plain, out.data()); });
    };
    return {std::string("loop in intrinsics, ") + starfmm::gravity_loop_name(), run, {}};
}

/// Measures each case once a round, in turn.
void measure(std::vector<Case>& cases, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        for (Case& one : cases) {
            one.times.push_back(one.run());
        }
    }
}

void print(const std::vector<Case>& cases, std::size_t n) {
    const double pairs = static_cast<double>(n) * static_cast<double>(n);
    std::printf(
        "N = %zu, %zu rounds\n%-32s %12s %12s\n", n, cases[0].times.size(), "median", "s", "pairs/s"
    );
    for (const Case& one : cases) {
        const double time = starfmm::median(one.times);
        std::printf("%-32s %12.6f %12.4e\n", one.name.c_str(), time, pairs / time);
    }
}

Case gpu_case(const DriverOptions& options, const Bodies& bodies, int gpus) {
    starfmm::RuntimeOptions workers = options.runtime;
    workers.gpus = gpus;
    return sum_case(std::to_string(gpus) + " GPU, StarPU", options, bodies, workers);
}

/// Measures the rate of one GPU, and what StarPU costs there.
void measure_gpu(const DriverOptions& options, const Bodies& bodies) {
    std::vector<Case> cases{
        sum_case("1 GPU, without StarPU", options, bodies, {}, Execution::in_order_cuda),
        gpu_case(options, bodies, 1)};
    measure(cases, options.repeat);
    print(cases, bodies.size());
    const auto n = static_cast<double>(bodies.size());
    constexpr double overhead_bar = 1.03;
    constexpr double rate_bar = 2.0; // rate of an H200 at N = 2^20
    const double rate = 1e-12 * n * n / starfmm::median(cases[1].times);
    print_ratio("1 GPU, 10^12 pairs/s", rate, Bar::at_least, rate_bar);
    const double overhead = starfmm::median_ratio(cases[1].times, cases[0].times);
    print_ratio("1 GPU, StarPU / without", overhead, Bar::at_most, overhead_bar);
}

/// Measures the speed-up by 2, 4, ... GPUs.
void measure_gpus(const DriverOptions& options, const Bodies& bodies, int gpus) {
    std::vector<Case> cases;
    for (int n = 1; n <= gpus; n *= 2) {
        cases.push_back(gpu_case(options, bodies, n));
    }
    measure(cases, options.repeat);
    print(cases, bodies.size());
    const std::size_t size = bodies.size() >= 1'000'000 ? 1 : 0;
    // bars of 2 and 4 GPUs; few, many bodies
    constexpr double bars[][2] = {{1.6, 1.95}, {2.0, 3.8}};
    for (std::size_t i = 1; i < cases.size(); ++i) {
        const double speedup = starfmm::median_ratio(cases[0].times, cases[i].times);
        const double bar = bars[std::min<std::size_t>(i - 1, 1)][size];
        print_ratio("speed-up, " + cases[i].name, speedup, Bar::at_least, bar);
    }
}

void measure_cpus(const DriverOptions& options, const Bodies& bodies) {
    starfmm::RuntimeOptions one = options.runtime;
    one.cpus = 1;
    starfmm::RuntimeOptions two = one;
    two.cpus = 2;
    std::vector<Case> cases{loop_case(options, bodies), sum_case("1 worker", options, bodies, one)};
    if (starfmm::available_cores() > 1) {
        cases.push_back(sum_case("2 workers", options, bodies, two));
    }
    measure(cases, options.repeat);
    print(cases, bodies.size());
    constexpr double loop_bar = 0.7;
    print_ratio(
        "1 worker, share of the loop's rate",
        starfmm::median_ratio(cases[0].times, cases[1].times),
        Bar::at_least,
        loop_bar
    );
    if (cases.size() > 2) {
        constexpr double speedup_bar = 1.9;
        print_ratio(
            "speed-up by 2 workers",
            starfmm::median_ratio(cases[1].times, cases[2].times),
            Bar::at_least,
            speedup_bar
        );
    }
}

int run(int argc, char** argv) {
    const starfmm::DriverText text{
        .name = "gravity_direct",
        .summary = "Rates of direct gravity against their floors.",
        .examples = {"--n 1e5 --repeat 7"},
        .lacking = starfmm::not_of_direct_sums};
    auto options = starfmm::parse_gravity_options(argc, argv, text);
    if (!options) {
        return 0;
    }
    options->precision = starfmm::Precision::single_precision;
    const Bodies bodies = bodies_of(starfmm::make_problem(*options));
    const int gpus = options->runtime.gpus < 0 ? starfmm::available_gpus() : options->runtime.gpus;
    if (gpus > 1) {
        measure_gpus(*options, bodies, gpus);
    } else if (gpus == 1) {
        measure_gpu(*options, bodies);
    } else {
        measure_cpus(*options, bodies);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
