// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/bench.hpp"

#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/reference/cancellation.hpp"
#include "examples/cli/progress.hpp"
#include "schedulers/plan/inspection/suited_strengths.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string_view>

namespace starfmm {

namespace {

void plan_and_evaluate(
    Runtime& runtime,
    const Problem& problem,
    const DriverOptions& options,
    Potentials& out,
    Times& times
) {
    KernelSet& kernel = choose_kernel(options, problem);
    const double start = now();
    Plan plan(runtime, kernel, problem.sources, options.plan);
    static_cast<void>(plan.info()); // waits, so that the two do not overlap
    const double planned = now();
    plan.evaluate(problem.strengths.front(), out);
    const double done = now();
    times.topology.push_back(planned - start);
    times.evaluate.push_back(done - planned);
    times.total.push_back(done - start);
}

KernelSet& plane_kernel_set(const DriverOptions& options, const Problem& problem) {
    const auto in = [&options](auto& in_double, auto& in_single) -> KernelSet& {
        return options.precision == Precision::single_precision ? in_single() : in_double();
    };
    if (options.gradient) {
        return in(kernel_set<LogGradient<double>>, kernel_set<LogGradient<float>>);
    }
    if (options.kernel == "log2d") {
        return in(kernel_set<Log<double>>, kernel_set<Log<float>>);
    }
    if (problem.is_complex()) {
        return in(kernel_set<Harmonic<double, true>>, kernel_set<Harmonic<float, true>>);
    }
    return in(kernel_set<Harmonic<double, false>>, kernel_set<Harmonic<float, false>>);
}

/// What a sum would choose, too.
Precision precision_in_space(const DriverOptions& options, const Problem& problem) {
    if (options.precision != Precision::automatic) { // unlike a sum, without a look
        return options.precision;
    }
    const std::vector<StrengthsRef> strengths(problem.strengths.begin(), problem.strengths.end());
    const auto result = options.gradient ? SpaceResult::with_gradient : SpaceResult::potential;
    const SpaceCancellation found =
        cancellation_of(problem.sources, strengths, problem.evaluation_points(), result);
    return suited_precision(options.precision, found, options.plan.tolerance).precision;
}

KernelSet& space_kernel_set(const DriverOptions& options, const Problem& problem) {
    switch (precision_in_space(options, problem)) {
    case Precision::mixed_precision:
        return options.gradient ? kernel_set<MixedLaplaceGradient>() : kernel_set<MixedLaplace>();
    case Precision::single_precision:
        return options.gradient ? kernel_set<LaplaceGradient<float>>()
                                : kernel_set<Laplace<float>>();
    default:
        return options.gradient ? kernel_set<LaplaceGradient<double>>()
                                : kernel_set<Laplace<double>>();
    }
}

/// Measures a case by the second plan of a runtime: the first pays for memory that later ones use
/// again.
void measure(const BenchCase& bench, const DriverOptions& options, Times& times) {
    RuntimeOptions workers = options.runtime;
    workers.cpus = bench.cpus;
    workers.gpus = 0;
    Runtime runtime(workers, bench.execution);
    Potentials potentials;
    Times first_plan;
    plan_and_evaluate(runtime, *bench.problem, options, potentials, first_plan);
    plan_and_evaluate(runtime, *bench.problem, options, potentials, times);
}

} // namespace

KernelSet& choose_kernel(const DriverOptions& options, const Problem& problem) {
    return options.dimension == 3 ? space_kernel_set(options, problem)
                                  : plane_kernel_set(options, problem);
}

std::deque<PageLock> page_lock(const Problem& problem, std::span<Potentials> potentials) {
    std::deque<PageLock> locks;
    const auto lock = [&locks](const std::vector<double>& values) {
        locks.emplace_back(const_cast<double*>(values.data()), values.size() * sizeof(double));
    };
    const std::size_t m = problem.evaluation_points().size();
    for (const AnyPoints* points : {&problem.sources, &problem.targets}) {
        for (const auto& coordinate : points->x) {
            lock(coordinate);
        }
    }
    for (const Strengths& strengths : problem.strengths) {
        lock(strengths.re);
        lock(strengths.im);
    }
    for (Potentials& each : potentials) {
        each.re.resize(m);
        each.im.resize(m);
        lock(each.re);
        lock(each.im);
        for (const auto& derivative : each.gradient) {
            lock(derivative);
        }
    }
    return locks;
}

std::optional<DriverOptions>
parse_bench_options(int argc, char** argv, const std::string& name, int rounds, int dimension) {
    std::string option = "--repeat";
    std::string value = std::to_string(rounds);
    std::vector<char*> arguments(argv, argv + argc);
    const bool given = std::any_of(argv, argv + argc, [](const char* argument) {
        return std::string_view(argument).starts_with("--repeat");
    });
    if (!given) {
        arguments.insert(arguments.end(), {option.data(), value.data()});
    }
    const auto n = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    const DriverText text{
        name,
        dimension == 2 ? "A benchmark of tests/perf, with the options of pyramid2d."
                       : "A benchmark of tests/perf, with the options of laplace3d.",
        {"--n 1e6 --repeat 5"}};
    const auto kind = dimension == 2 ? drivers::plane : drivers::space;
    return parse_command_line(n, arguments.data(), text, default_options(kind));
}

std::vector<Times> interleave(const std::vector<BenchCase>& cases, const DriverOptions& options) {
    std::vector<Times> times(cases.size());
    for (int round = -1; round < options.repeat; ++round) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
            Times first_round;
            measure(cases[i], options, round < 0 ? first_round : times[i]);
        }
    }
    return times;
}

double median_ratio(const std::vector<double>& numerator, const std::vector<double>& denominator) {
    std::vector<double> ratios(numerator.size());
    std::transform(
        numerator.begin(), numerator.end(), denominator.begin(), ratios.begin(), std::divides<>()
    );
    return median(ratios);
}

void print_cases(const std::vector<BenchCase>& cases, const std::vector<Times>& times) {
    std::printf("%-30s %12s %12s %12s\n", "median [s]", "topology", "evaluate", "total");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        std::printf(
            "%-30s %12.4f %12.4f %12.4f\n",
            cases[i].name.c_str(),
            median(times[i].topology),
            median(times[i].evaluate),
            median(times[i].total)
        );
    }
}

void print_ratio(const std::string& name, double ratio, Bar bar, double limit) {
    const bool met = bar == Bar::at_most ? ratio <= limit : ratio >= limit;
    std::printf(
        "%-44s %6.3f  bar: %s %.2f: %s\n",
        name.c_str(),
        ratio,
        bar == Bar::at_most ? "at most" : "at least",
        limit,
        met ? "met" : "MISSED"
    );
}

} // namespace starfmm
