// SPDX-License-Identifier: BSD-3-Clause
// Traces are made up here for tests, so that their analysis is known by hand.
#pragma once

#include "schedulers/trace/analysis.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Makes workers of these names, which start with "CUDA" if they are GPUs.
inline starfmm::Trace
made_up_trace(const std::vector<std::string>& workers, const std::vector<std::string>& operators) {
    starfmm::Trace trace;
    trace.scheduler = "made_up";
    for (const std::string& name : workers) {
        trace.workers.push_back({name, name.starts_with("CUDA")});
    }
    for (const std::string& name : operators) {
        trace.operators.push_back({name, 0x1e88e5});
    }
    return trace;
}

/// Adds a task that was submitted at the beginning, and was ready and begun at `start`.
/// \returns the task, to change
inline starfmm::TraceTask& add_task(
    starfmm::Trace& trace,
    std::size_t op,
    std::size_t worker,
    double start,
    double end,
    std::vector<std::size_t> after = {}
) {
    starfmm::TraceTask task;
    task.op = op;
    task.worker = worker;
    task.start_s = task.ready_s = task.fetch_s = task.fetched_s = start;
    task.end_s = end;
    task.work = end - start;
    task.after = std::move(after);
    trace.tasks.push_back(task);
    return trace.tasks.back();
}

/// Makes a trace of two cores: p2m (0 to 2) and m2m (2 to 3) on the first; p2p (0 to 4) on the
/// second; then gather (4 to 5) on the first, after m2m and p2p.
inline starfmm::Trace diamond_trace() {
    starfmm::Trace trace = made_up_trace({"CPU 0", "CPU 1"}, {"p2m", "m2m", "p2p", "gather"});
    add_task(trace, 0, 0, 0, 2);
    add_task(trace, 1, 0, 2, 3, {0});
    add_task(trace, 2, 1, 0, 4);
    add_task(trace, 3, 0, 4, 5, {1, 2});
    return trace;
}

inline double
idle_of(const starfmm::TraceAnalysis& analysis, std::size_t worker, starfmm::IdleCause cause) {
    return analysis.workers.at(worker).idle(cause);
}
