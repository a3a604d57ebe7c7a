// SPDX-License-Identifier: BSD-3-Clause
// This benchmark compares scheduling policies on one sum:
//     policies [pyramid2d|laplace3d|gravity] [options of that driver]
// --scheduler lists the policies, with commas between them, and --repeat says how many rounds there
// are. In each round every policy has its turn, so that a change of the machine's pace meets all.
#include "core/error.hpp"
#include "examples/cli/progress.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/policy.hpp"
#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/run_bounds.hpp"
#include "tests/perf/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using starfmm::now;
using starfmm::Runtime;

/// One evaluation, any number of times.
using Evaluation = std::function<void()>;

/// The sum that every policy has to schedule.
struct Workload {
    std::string name;
    std::size_t n;
    starfmm::RuntimeOptions runtime; ///< `scheduler` lists the policies
    int rounds;
    int warmup; ///< evaluations before the timed one, besides the first
    std::function<Evaluation(Runtime&)> start;
};

/// What a sum in the plane or in space works on; the results lie where the points do.
struct Sum {
    starfmm::DriverOptions options;
    starfmm::Problem problem;
    std::vector<starfmm::Potentials> potentials;
    std::deque<starfmm::PageLock> locks;
};

std::optional<Workload> points_workload(int argc, char** argv, int dimension) {
    constexpr int rounds = 5;
    const std::string name = dimension == 2 ? "pyramid2d" : "laplace3d";
    const auto options =
        starfmm::parse_bench_options(argc, argv, "policies " + name, rounds, dimension);
    if (!options) {
        return std::nullopt;
    }
    auto sum = std::make_shared<Sum>();
    sum->options = *options;
    sum->problem = starfmm::make_problem(*options);
    sum->potentials.resize(sum->problem.strengths.size());
    sum->locks = starfmm::page_lock(sum->problem, sum->potentials);
    const auto start = [sum](Runtime& runtime) -> Evaluation {
        starfmm::KernelSet& kernel = starfmm::choose_kernel(sum->options, sum->problem);
        return [sum, &runtime, &kernel] {
            const starfmm::Problem& problem = sum->problem;
            const starfmm::PlanOptions& how = sum->options.plan;
            starfmm::Plan plan =
                problem.separate_targets
                    ? starfmm::Plan(runtime, kernel, problem.sources, problem.targets, how)
                    : starfmm::Plan(runtime, kernel, problem.sources, how);
            plan.evaluate(problem.strengths, sum->potentials);
        };
    };
    const std::size_t n = sum->problem.sources.size();
    return Workload{name, n, options->runtime, options->repeat, options->warmup, start};
}

std::optional<Workload> gravity_workload(int argc, char** argv) {
    const starfmm::DriverText text{
        .name = "policies gravity",
        .summary = "A benchmark of tests/perf, with the options of gravity.",
        .examples = {"--n 2e4 --repeat 5"},
        .lacking = starfmm::not_of_direct_sums};
    const auto options = starfmm::parse_gravity_options(argc, argv, text);
    if (!options) {
        return std::nullopt;
    }
    const auto bodies = std::make_shared<starfmm::Bodies>(bodies_of(make_problem(*options)));
    const auto start = [bodies, how = direct_options(*options)](Runtime& runtime) -> Evaluation {
        const auto gravity = std::make_shared<starfmm::GravityTree>(runtime, how);
        const auto out = std::make_shared<starfmm::Accelerations>();
        return [bodies, gravity, out] { gravity->evaluate(*bodies, *out); };
    };
    const std::size_t n = bodies->size();
    return Workload{"gravity", n, options->runtime, options->repeat, options->warmup, start};
}

/// Takes the workload's name from the command line and has the rest read as its driver does. Empty
/// after --help or --version was printed.
std::optional<Workload> parse_workload(int argc, char** argv) {
    const int named = argc > 1 && !std::string_view(argv[1]).starts_with('-') ? 1 : 0;
    const std::string name = named > 0 ? argv[1] : "pyramid2d";
    if (name == "gravity") {
        return gravity_workload(argc - named, argv + named);
    }
    if (name != "pyramid2d" && name != "laplace3d") {
        throw starfmm::InputError(
            "workload " + name + ": must be pyramid2d, laplace3d or gravity, before all options"
        );
    }
    return points_workload(argc - named, argv + named, name == "pyramid2d" ? 2 : 3);
}

/// Measurements of one evaluation, from host memory to host memory.
struct Turn {
    double makespan_s = 0;
    double bound_s = 0;     ///< no schedule is faster, if predictions are right
    double own_bound_s = 0; ///< the same by the times that the turn's tasks took
    double moved_bytes = 0; ///< bytes moved between memories
};

/// What became of one policy.
struct Result {
    std::string policy;
    std::vector<Turn> turns; ///< one of each round
    std::string failure;     ///< why it failed; empty: it did not
};

/// The larger of the critical path and of the time with all workers always busy, by predicted times
/// or, where nothing was predicted, by those that tasks took.
double predicted_bound(const starfmm::Trace& trace, std::vector<double> durations) {
    for (std::size_t i = 0; i < durations.size(); ++i) {
        if (trace.tasks[i].predicted_s > 0) {
            durations[i] = trace.tasks[i].predicted_s;
        }
    }
    return std::max(
        starfmm::critical_path_of(trace, durations).length_s,
        starfmm::area_bound_of(trace, durations)
    );
}

/// Times an evaluation by a runtime of its own, whose first evaluation pays for memory that later
/// ones use again.
Turn take_turn(const Workload& workload, const std::string& policy) {
    starfmm::RuntimeOptions options = workload.runtime;
    options.scheduler = policy;
    options.profile = true;
    Runtime runtime(options);
    runtime.record_details();
    const Evaluation evaluate = workload.start(runtime);
    for (int i = 0; i <= workload.warmup; ++i) {
        evaluate();
    }
    runtime.clear_records();
    const std::size_t moved = runtime.transferred_bytes();
    const double start = now();
    evaluate();
    Turn turn;
    turn.makespan_s = now() - start;
    turn.moved_bytes = static_cast<double>(runtime.transferred_bytes() - moved);
    const starfmm::Trace trace = starfmm::trace_of(runtime);
    const starfmm::TraceAnalysis analysis = starfmm::analyse(trace);
    turn.bound_s = predicted_bound(trace, analysis.durations);
    turn.own_bound_s = analysis.bound_s();
    return turn;
}

/// Names with commas between them.
/// \throws InputError for what is no policy, before the others are measured
std::vector<Result> results_of(const std::string& policies) {
    std::vector<Result> results;
    std::istringstream text(policies);
    for (std::string policy; std::getline(text, policy, ',');) {
        results.push_back({starfmm::choose_policy(policy, {}), {}, {}});
    }
    return results;
}

/// Gives every policy its turn in each round; one that fails has no further turn.
/// \throws InputError for what is wrong under any policy
std::vector<Result> compare(const Workload& workload) {
    const std::string& wanted = workload.runtime.scheduler;
    std::vector<Result> results =
        results_of(wanted.empty() ? "starfmm,dmda,dmdas,heteroprio,lws,eager" : wanted);
    for (int round = 0; round < workload.rounds; ++round) {
        for (Result& result : results) {
            try {
                if (result.failure.empty()) {
                    result.turns.push_back(take_turn(workload, result.policy));
                }
            } catch (const starfmm::InputError&) {
                throw;
            } catch (const std::exception& error) {
                result.failure = error.what();
            }
        }
    }
    return results;
}

double median_of(const Result& result, double Turn::*value) {
    std::vector<double> values;
    for (const Turn& turn : result.turns) {
        values.push_back(turn.*value);
    }
    return starfmm::median(values);
}

/// The least median of all policies that did not fail.
double least_of(const std::vector<Result>& results, double Turn::*value) {
    double least = std::numeric_limits<double>::infinity();
    for (const Result& result : results) {
        least = result.failure.empty() ? std::min(least, median_of(result, value)) : least;
    }
    return least;
}

/// Prints one line a policy. The bound by predicted times is the least of all policies', since a
/// policy that shares out less has a larger one.
void print(const Workload& workload, const std::vector<Result>& results) {
    const double best = least_of(results, &Turn::makespan_s);
    const double bound = least_of(results, &Turn::bound_s);
    std::printf(
        "%s, N = %zu, medians of %d rounds; bound by predicted times %.3f ms\n"
        "%-14s %12s %8s %8s %12s %10s\n",
        workload.name.c_str(),
        workload.n,
        workload.rounds,
        1e3 * bound,
        "policy",
        "ms",
        "/ best",
        "/ bound",
        "/ own bound",
        "moved MB"
    );
    for (const Result& result : results) {
        if (!result.failure.empty()) {
            std::printf("%-14s failed: %s\n", result.policy.c_str(), result.failure.c_str());
            continue;
        }
        const double makespan = median_of(result, &Turn::makespan_s);
        std::printf(
            "%-14s %12.3f %8.3f %8.2f %12.2f %10.2f\n",
            result.policy.c_str(),
            1e3 * makespan,
            makespan / best,
            makespan / bound,
            makespan / median_of(result, &Turn::own_bound_s),
            1e-6 * median_of(result, &Turn::moved_bytes)
        );
    }
}

int run(int argc, char** argv) {
    const std::optional<Workload> workload = parse_workload(argc, argv);
    if (!workload) {
        return 0;
    }
    const std::vector<Result> results = compare(*workload);
    print(*workload, results);
    constexpr int a_policy_failed = 3;
    const bool all_ran =
        std::ranges::all_of(results, [](const Result& result) { return result.failure.empty(); });
    return all_ran ? 0 : a_policy_failed;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}
