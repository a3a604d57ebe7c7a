// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a trace says about its run: times by operator and worker, idle times by cause,
// bounds, accuracy of the predictions, and what to try next.
#pragma once

#include "schedulers/trace/idle.hpp"
#include "schedulers/trace/model.hpp"
#include "schedulers/trace/overlap.hpp"
#include "schedulers/trace/run_bounds.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// Use of one worker by one operator.
struct OperatorUse {
    std::size_t op = 0;
    std::size_t worker = 0;
    std::size_t tasks = 0;
    double time_s = 0; ///< sum of durations_of() its tasks
    double work = 0;
    double predicted_s = 0; ///< sum over the tasks that were predicted
    double measured_s = 0;  ///< measured sum over the same tasks
    double best_rate = 0;   ///< work a second of the best task with half the mean work at least

    /// Seconds of a unit of work or, where tasks have none, of a task.
    [[nodiscard]] double unit_time() const {
        return time_s / (work > 0 ? work : static_cast<double>(tasks));
    }
};

/// Parts of one name within the fused tasks of one operator on one worker.
struct PartUse {
    std::size_t op = 0; ///< operator of the fused tasks
    std::size_t worker = 0;
    std::string name;
    std::size_t parts = 0;
    double time_s = 0; ///< seconds; parts that run side by side count in full; 0: not recorded
    double work = 0;
};

/// Use of one memory link.
struct LinkUse {
    std::size_t transfers = 0;
    std::size_t n_bytes = 0;
    double time_s = 0; ///< seconds in which the link was busy
};

/// How well the scheduler knew how long tasks take.
struct PredictionAccuracy {
    std::size_t tasks = 0;   ///< number of tasks that were predicted
    double median_ratio = 1; ///< measured over predicted
    double median_error = 0; ///< |measured - predicted| / measured
};

struct TraceAnalysis {
    double makespan_s = 0;
    std::vector<double> durations;      ///< durations_of() the tasks
    std::vector<WorkerUse> workers;     ///< [workers]
    std::vector<Gap> gaps;              ///< gaps of WorkerUses
    std::vector<OperatorUse> operators; ///< operators that ran, by operator, then by worker
    std::vector<PartUse> parts;         ///< parts of fused tasks, in the order of their first ones
    std::vector<LinkUse> links;         ///< [links]
    CriticalPath path;
    double area_bound_s = 0;
    PredictionAccuracy predictions;
    Overlap overlap;

    /// Lower bound of the makespan: no schedule of these tasks on these workers is faster.
    [[nodiscard]] double bound_s() const;
};

/// Analyses a trace; O(n log n) for n tasks and dependencies.
[[nodiscard]] TraceAnalysis analyse(const Trace& trace);

/// Time of an operator on the critical path, in seconds, the longest first.
struct PathShare {
    std::size_t op;
    std::size_t tasks;
    double time_s;
};

[[nodiscard]] std::vector<PathShare>
path_shares_of(const Trace& trace, const TraceAnalysis& analysis);

/// Workers of one kind that wait for one cause.
struct Waiters {
    std::size_t longest = 0; ///< index of the worker that waits longest
    std::size_t n = 0;
    double idle_s = 0; ///< sum over the workers
};

/// Returns the waiting workers of each kind that has any, without those that wait a fiftieth of the
/// run at most.
[[nodiscard]] std::vector<Waiters>
waiters_by_kind(const Trace& trace, const TraceAnalysis& analysis, IdleCause cause);

/// One finding, and what may help.
struct Advice {
    double share;     ///< share of the run's worker time that the finding concerns, in [0, 1]
    std::string text; ///< a sentence or two
};

/// Returns findings, the largest first; empty if nothing stands out.
[[nodiscard]] std::vector<Advice> advice_for(const Trace& trace, const TraceAnalysis& analysis);

} // namespace starfmm
