// SPDX-License-Identifier: BSD-3-Clause
#include "examples/policies/policies_run.hpp"

#include "examples/cli/driver.hpp"
#include "examples/gravity/gravity_options.hpp"
#include "schedulers/plan/gravity.hpp"
#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/run_bounds.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>

namespace starfmm {

namespace {

/// One evaluation, any number of times.
using Evaluation = std::function<void()>;

DriverOptions sum_options(const PoliciesOptions& options) {
    DriverOptions sum;
    sum.n = options.n;
    sum.seed = options.seed;
    sum.plan.tolerance = options.tolerance;
    sum.plan.groups = options.groups;
    sum.plan.team = options.team;
    sum.plan.tuning = options.tuning;
    if (options.workload == Workload::laplace3d) {
        sum.dimension = 3;
        sum.kernel = KernelKind::laplace;
        sum.precision = options.tolerance >= least_mixed_tolerance ? Precision::mixed_precision
                                                                   : Precision::double_precision;
    }
    return sum;
}

/// What a sum in the plane or in space works on; the results lie where the points do.
struct Sum {
    Problem problem;
    std::vector<Potentials> potentials;
    std::deque<PageLock> locks;
};

Evaluation sum_of(const PoliciesOptions& options, Runtime& runtime) {
    const DriverOptions driver = sum_options(options);
    auto sum = std::make_shared<Sum>();
    sum->problem = make_problem(driver);
    sum->potentials.resize(sum->problem.strengths.size());
    if (runtime.n_cuda() > 0) {
        sum->locks = page_lock(sum->problem, sum->potentials);
    }
    KernelSet& kernel = choose_kernel(driver, sum->problem);
    return [sum, &runtime, &kernel, how = driver.plan] {
        Plan plan(runtime, kernel, sum->problem.sources, how);
        plan.evaluate(sum->problem.strengths, sum->potentials);
    };
}

Evaluation gravity_of(const PoliciesOptions& options, Runtime& runtime) {
    GravityDriverOptions driver;
    driver.n = options.n;
    driver.seed = options.seed;
    driver.gravity.team = options.team;
    auto bodies = std::make_shared<Bodies>(make_bodies(driver));
    auto out = std::make_shared<Accelerations>();
    auto gravity = std::make_shared<GravitySum>(runtime, driver.gravity);
    return [bodies, out, gravity] { gravity->evaluate(*bodies, *out); };
}

RuntimeOptions runtime_options(const PoliciesOptions& options, const std::string& policy) {
    RuntimeOptions runtime = options.runtime;
    runtime.scheduler = policy;
    runtime.profile = true;
    if (options.workload == Workload::gravity) {
        runtime.streams = gravity_runtime().streams;
    }
    return runtime;
}

/// What tasks were predicted to take or, where nothing was, took.
std::vector<double> predicted_durations(const Trace& trace, std::vector<double> durations) {
    for (std::size_t i = 0; i < durations.size(); ++i) {
        if (trace.tasks[i].predicted_s > 0) {
            durations[i] = trace.tasks[i].predicted_s;
        }
    }
    return durations;
}

double idle_share(const Trace& trace, const TraceAnalysis& analysis) {
    bool runs[2] = {false, false}; // cores, GPUs
    for (const TraceTask& task : trace.tasks) {
        runs[trace.workers[task.worker].is_cuda ? 1 : 0] = true;
    }
    double idle = 0;
    double all = 0;
    for (std::size_t i = 0; i < trace.workers.size(); ++i) {
        if (runs[trace.workers[i].is_cuda ? 1 : 0]) {
            idle += analysis.workers[i].total_idle();
            all += analysis.makespan_s;
        }
    }
    return all > 0 ? idle / all : 0;
}

PolicyRun run_once(Runtime& runtime, const Evaluation& evaluate) {
    runtime.clear_records();
    const std::size_t moved = runtime.transferred_bytes();
    const double start = now();
    evaluate();
    PolicyRun run;
    run.makespan_s = now() - start;
    run.moved_bytes = static_cast<double>(runtime.transferred_bytes() - moved);
    const Trace trace = trace_of(runtime);
    const TraceAnalysis analysis = analyse(trace);
    const std::vector<double> predicted = predicted_durations(trace, analysis.durations);
    run.path_s = critical_path_of(trace, predicted).length_s;
    run.area_s = area_bound_of(trace, predicted);
    run.own_bound_s = analysis.bound_s();
    run.idle = idle_share(trace, analysis);
    run.tasks = static_cast<double>(trace.tasks.size());
    return run;
}

} // namespace

double PolicyRun::bound_s() const {
    return std::max(path_s, area_s);
}

std::vector<PolicyRun> measure_policy(const PoliciesOptions& options, const std::string& policy) {
    Runtime runtime(runtime_options(options, policy));
    runtime.record_details();
    const Evaluation evaluate = options.workload == Workload::gravity ? gravity_of(options, runtime)
                                                                      : sum_of(options, runtime);
    std::vector<PolicyRun> runs;
    for (int i = -options.warmup; i < options.repeat; ++i) {
        const PolicyRun run = run_once(runtime, evaluate);
        if (i >= 0) {
            runs.push_back(run);
        }
    }
    return runs;
}

void to_json(nlohmann::json& json, const PolicyRun& run) {
    json = {
        {"makespan_s", run.makespan_s},
        {"critical_path_s", run.path_s},
        {"area_s", run.area_s},
        {"own_bound_s", run.own_bound_s},
        {"idle", run.idle},
        {"moved_bytes", run.moved_bytes},
        {"tasks", run.tasks}};
}

void from_json(const nlohmann::json& json, PolicyRun& run) {
    json.at("makespan_s").get_to(run.makespan_s);
    json.at("critical_path_s").get_to(run.path_s);
    json.at("area_s").get_to(run.area_s);
    json.at("own_bound_s").get_to(run.own_bound_s);
    json.at("idle").get_to(run.idle);
    json.at("moved_bytes").get_to(run.moved_bytes);
    json.at("tasks").get_to(run.tasks);
}

} // namespace starfmm
