// SPDX-License-Identifier: BSD-3-Clause
// Direct gravity against the machine's limits. With GPUs: the rate of one, what StarPU costs there,
// and the speed-up by 2 and 4. With --gpus 0: a core against a loop in intrinsics, and two workers.
#include "examples/gravity_driver.hpp"
#include "examples/progress.hpp"
#include "schedulers/topology.hpp"
#include "tests/perf/bench.hpp"
#include "tests/perf/gravity_intrinsics.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

namespace {

using starfmm::Accelerations;
using starfmm::Bar;
using starfmm::Bodies;
using starfmm::Execution;
using starfmm::GravityDriverOptions;

/// One way to sum. A call starts and stops its runtime, as one process has one at a time, and
/// returns the seconds of its second evaluation: the first pays for memory.
struct Case {
    std::string name;
    std::function<double()> run;
    std::vector<double> times;
};

Case sum_case(
    const std::string& name,
    const GravityDriverOptions& options,
    const Bodies& bodies,
    starfmm::RuntimeOptions workers,
    Execution execution = Execution::tasks
) {
    const auto run = [&options, &bodies, workers, execution] {
        starfmm::Runtime runtime(workers, execution);
        starfmm::GravitySum gravity(runtime, options.gravity);
        Accelerations out;
        gravity.evaluate(bodies, out);
        const double start = starfmm::now();
        gravity.evaluate(bodies, out);
        return starfmm::now() - start;
    };
    return {name, run, {}};
}

std::vector<float> singles(const std::vector<double>& values) {
    constexpr std::size_t whole = 64;
    std::vector<float> result(values.begin(), values.end());
    result.resize((values.size() + whole - 1) / whole * whole);
    return result;
}

Case loop_case(const GravityDriverOptions& options, const Bodies& bodies) {
    const auto run = [&options, &bodies] {
        const std::vector<float> x[] = {
            singles(bodies.x[0]), singles(bodies.x[1]), singles(bodies.x[2]), singles(bodies.mass)};
        const auto epsilon = static_cast<float>(options.gravity.epsilon);
        std::vector<float> out(3 * x[0].size());
        const starfmm::PlainBodies plain{
            x[0].size(), x[0].data(), x[1].data(), x[2].data(), x[3].data(), epsilon * epsilon};
        const double start = starfmm::now();
        starfmm::gravity_loop(plain, out.data());
        return starfmm::now() - start;
    };
    return {std::string("loop in intrinsics, ") + starfmm::gravity_loop_name(), run, {}};
}

/// Each case once a round, in turn; a first round is not counted.
void measure(std::vector<Case>& cases, int rounds) {
    for (int round = -1; round < rounds; ++round) {
        for (Case& one : cases) {
            const double time = one.run();
            if (round >= 0) {
                one.times.push_back(time);
            }
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

void measure_gpus(const GravityDriverOptions& options, const Bodies& bodies, int gpus) {
    std::vector<Case> cases{
        sum_case("1 GPU, without StarPU", options, bodies, {}, Execution::in_order_cuda)};
    for (int n = 1; n <= gpus; n *= 2) {
        starfmm::RuntimeOptions workers = options.runtime;
        workers.gpus = n;
        cases.push_back(sum_case(std::to_string(n) + " GPU, StarPU", options, bodies, workers));
    }
    measure(cases, options.repeat);
    print(cases, bodies.size());
    const double n = static_cast<double>(bodies.size());
    constexpr double overhead_bar = 1.03;
    constexpr double rate_bar = 2.0; // 10^12 pairs/s of an H200 in single precision
    print_ratio(
        "1 GPU, 10^12 pairs/s",
        1e-12 * n * n / starfmm::median(cases[1].times),
        Bar::at_least,
        rate_bar
    );
    print_ratio(
        "1 GPU, StarPU / without",
        starfmm::median_ratio(cases[1].times, cases[0].times),
        Bar::at_most,
        overhead_bar
    );
    const bool is_large = bodies.size() >= 1'000'000;
    constexpr double bars[][2] = {{1.3, 1.95}, {2.0, 3.8}}; // of 2 and 4 GPUs; few, many bodies
    for (std::size_t i = 2; i < cases.size(); ++i) {
        const double bar = bars[std::min<std::size_t>(i - 2, 1)][is_large ? 1 : 0];
        print_ratio(
            "speed-up, " + cases[i].name,
            starfmm::median_ratio(cases[1].times, cases[i].times),
            Bar::at_least,
            bar
        );
    }
}

void measure_cpus(const GravityDriverOptions& options, const Bodies& bodies) {
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
    auto options = starfmm::parse_gravity_options(argc, argv, "gravity_direct", {});
    if (!options) {
        return 0;
    }
    options->gravity.precision = starfmm::GravityPrecision::single_precision;
    const Bodies bodies = starfmm::make_bodies(*options);
    const int gpus = options->runtime.gpus < 0 ? starfmm::available_gpus() : options->runtime.gpus;
    if (gpus > 0) {
        measure_gpus(*options, bodies, gpus);
    } else {
        measure_cpus(*options, bodies);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
