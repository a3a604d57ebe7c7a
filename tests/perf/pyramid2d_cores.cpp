// SPDX-License-Identifier: BSD-3-Clause
// This benchmark measures what many cores gain: evaluations of one plan by --cpus workers (default:
// 16) against one worker, and what is lost to cores that slow each other down, and to workers that
// wait.
#include "examples/cli/progress.hpp"
#include "schedulers/runtime/machine.hpp"
#include "schedulers/trace/trace.hpp"
#include "tests/perf/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

namespace {

using starfmm::Bar;
using starfmm::DriverOptions;
using starfmm::Phase;
using starfmm::Problem;

/// Medians of evaluations by some workers.
struct Evaluations {
    int workers;
    double seconds;
    std::map<std::string, double> phases; ///< seconds of tasks, summed over workers

    [[nodiscard]] double busy() const {
        double sum = 0;
        for (const auto& [name, time] : phases) {
            sum += time;
        }
        return sum;
    }
};

/// Evaluates a plan `rounds` times, after one evaluation that is not counted.
Evaluations
evaluate(const DriverOptions& options, const Problem& problem, int workers, int rounds) {
    starfmm::RuntimeOptions runtime_options = options.runtime;
    runtime_options.cpus = workers;
    runtime_options.gpus = 0;
    runtime_options.profile = true;
    starfmm::Runtime runtime(runtime_options);
    starfmm::KernelSet& kernel = choose_kernel(options, problem);
    starfmm::Plan plan(runtime, kernel, problem.sources, options.plan);
    starfmm::Potentials potentials;
    plan.evaluate(problem.strengths.front(), potentials);
    std::vector<double> times;
    std::map<std::string, std::vector<double>> phases;
    for (int round = 0; round < rounds; ++round) {
        runtime.clear_records();
        const double start = starfmm::now();
        plan.evaluate(problem.strengths.front(), potentials);
        times.push_back(starfmm::now() - start);
        for (const Phase& phase : starfmm::phases_of(runtime.records())) {
            phases[phase.name].push_back(phase.time_s);
        }
    }
    Evaluations result{workers, starfmm::median(times), {}};
    for (const auto& [name, values] : phases) {
        result.phases[name] = starfmm::median(values);
    }
    return result;
}

void print(const Evaluations& one, const Evaluations& many) {
    std::printf(
        "%-14s %11s %8d workers %8s\n", "task times [s]", "1 worker", many.workers, "ratio"
    );
    for (const auto& [name, time] : many.phases) {
        const auto alone = one.phases.find(name); // one group has operators of its own
        const double before = alone == one.phases.end() ? 0 : alone->second;
        std::printf("%-14s %11.4f %16.4f %8.3f\n", name.c_str(), before, time, time / before);
    }
    const double slowdown = many.busy() / one.busy();
    std::printf("%-14s %11.4f %16.4f %8.3f\n", "sum", one.busy(), many.busy(), slowdown);
    std::printf("%-14s %11.4f %16.4f\n", "evaluate", one.seconds, many.seconds);
    std::printf(
        "workers busy: %.3f of the time; if they always were, efficiency: %.3f\n",
        many.busy() / (many.workers * many.seconds),
        1 / slowdown
    );
    constexpr double bar = 0.85;
    print_ratio(
        "evaluate, parallel efficiency",
        one.seconds / (many.workers * many.seconds),
        Bar::at_least,
        bar
    );
}

int run(int argc, char** argv) {
    constexpr int rounds = 5;
    constexpr int default_workers = 16;
    auto options = starfmm::parse_bench_options(argc, argv, "pyramid2d_cores", rounds);
    if (!options) {
        return 0;
    }
    options->plan.method = starfmm::Method::fmm;
    options->plan.tuning = starfmm::Tuning::builtin; // the same tree for all
    const int cores = starfmm::available_cores();
    const int workers =
        options->runtime.cpus > 0 ? options->runtime.cpus : std::min(default_workers, cores);
    const Problem problem = starfmm::make_problem(*options);
    const Evaluations many = evaluate(*options, problem, workers, options->repeat);
    const Evaluations one = evaluate(*options, problem, 1, std::min(options->repeat, 2));
    std::printf("N = %zu, %d rounds, %d cores\n", problem.sources.size(), options->repeat, cores);
    print(one, many);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
