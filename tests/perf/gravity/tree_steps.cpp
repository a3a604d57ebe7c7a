// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/gravity/tree_steps.hpp"

#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/trace/model.hpp"

#include <map>
#include <string>
#include <vector>

namespace starfmm {

namespace {

/// Returns the step that a task belongs to. P2L and M2P are few, and belong to P2P in the paper
/// [FT19 sec. 4.2].
TreeStep step_of(const Trace& trace, const TraceTask& task) {
    static const std::map<std::string, TreeStep> steps{
        {"connect", TreeStep::traversal},
        {"p2p", TreeStep::p2p},
        {"p2p_columns", TreeStep::p2p},
        {"p2l", TreeStep::p2p},
        {"m2p", TreeStep::p2p},
        {"m2l", TreeStep::m2l},
        {"l2l", TreeStep::evaluation},
        {"l2p", TreeStep::evaluation}};
    const auto step = steps.find(trace.operators[task.op].name);
    return step == steps.end() ? TreeStep::rest : step->second;
}

/// Returns the trace with only the tasks of the steps up to this one, without copies.
Trace up_to(TreeStep last, Trace trace) {
    trace.transfers.clear();
    std::erase_if(trace.tasks, [&](const TraceTask& task) { return step_of(trace, task) > last; });
    return trace;
}

GravityTreeOptions tree_options(const DriverOptions& options) {
    GravityTreeOptions gravity;
    gravity.epsilon = options.epsilon;
    gravity.g = options.g;
    gravity.precision = options.precision;
    gravity.softening = options.softening;
    const double usual = gravity.plan.tolerance;
    gravity.plan = options.plan;
    gravity.plan.method = Method::fmm;
    gravity.plan.tolerance = options.plan.tolerance > 0 ? options.plan.tolerance : usual;
    return gravity;
}

Trace traced_evaluation(const DriverOptions& options, const Bodies& bodies) {
    RuntimeOptions workers = options.runtime;
    workers.profile = true;
    Runtime runtime(workers);
    runtime.record_details();
    GravityTree gravity(runtime, tree_options(options));
    Accelerations out;
    gravity.evaluate(bodies, out); // pays for memory
    runtime.clear_records();
    gravity.evaluate(bodies, out);
    return trace_of(runtime);
}

} // namespace

double TreeStepTimes::interaction_share() const {
    const double sums = steps[0] + steps[1] + steps[2];
    return sums / (sums + steps[3]);
}

TreeStepTimes tree_step_times(const DriverOptions& options, const Bodies& bodies) {
    const Trace trace = traced_evaluation(options, bodies);
    const Trace interaction = up_to(TreeStep::m2l, trace);
    TreeStepTimes times;
    for (const TraceTask& task : trace.tasks) {
        const auto step = static_cast<std::size_t>(step_of(trace, task));
        times.steps[step] += task.end_s - task.start_s;
    }
    times.interaction = makespan_of(interaction);
    times.both = makespan_of(up_to(TreeStep::evaluation, trace));
    times.unhidden = times.interaction - overlap_of(interaction).gpus_s;
    times.overlap = overlap_of(trace);
    times.n_bytes = trace.transferred_bytes;
    for (const TraceTransfer& transfer : trace.transfers) {
        times.links += transfer.end_s - transfer.start_s;
    }
    return times;
}

} // namespace starfmm
