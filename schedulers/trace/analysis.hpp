// SPDX-License-Identifier: BSD-3-Clause
// What a trace says about its run: times by operator and worker, idle times by cause, bounds,
// accuracy of the predictions, and what to try next.
#pragma once

#include "schedulers/trace/idle.hpp"
#include "schedulers/trace/model.hpp"
#include "schedulers/trace/overlap.hpp"
#include "schedulers/trace/run_bounds.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// An operator on one worker.
struct OperatorUse {
    std::size_t op = 0;
    std::size_t worker = 0;
    std::size_t tasks = 0;
    double time_s = 0; ///< of durations_of()
    double work = 0;
    double predicted_s = 0; ///< sum over the tasks that were predicted
    double measured_s = 0;  ///< likewise
    double best_rate = 0;   ///< work a second of the best task with half the mean work at least

    /// Seconds a unit of work or, where tasks have none, a task.
    [[nodiscard]] double unit_time() const {
        return time_s / (work > 0 ? work : static_cast<double>(tasks));
    }
};

/// Parts of one name of the fused tasks of one operator on one worker.
struct PartUse {
    std::size_t op = 0; ///< of the fused tasks
    std::size_t worker = 0;
    std::string name;
    std::size_t parts = 0;
    double time_s = 0; ///< where one runs beside others, each counts in full; 0: not recorded
    double work = 0;
};

/// A memory link.
struct LinkUse {
    std::size_t transfers = 0;
    std::size_t n_bytes = 0;
    double time_s = 0; ///< in which it was busy
};

/// How well the scheduler knew how long tasks take.
struct PredictionAccuracy {
    std::size_t tasks = 0;   ///< that were predicted
    double median_ratio = 1; ///< measured over predicted
    double median_error = 0; ///< |measured - predicted| / measured
};

struct TraceAnalysis {
    double makespan_s = 0;
    std::vector<double> durations;      ///< of tasks, durations_of()
    std::vector<WorkerUse> workers;     ///< [workers]
    std::vector<Gap> gaps;              ///< as WorkerUses has them
    std::vector<OperatorUse> operators; ///< that ran, by operator, then by worker
    std::vector<PartUse> parts;         ///< of fused tasks, in the order of their first ones
    std::vector<LinkUse> links;         ///< [links]
    CriticalPath path;
    double area_bound_s = 0;
    PredictionAccuracy predictions;
    Overlap overlap;

    /// No schedule of these tasks on these workers is faster.
    [[nodiscard]] double bound_s() const;
};

/// O(n log n) for n tasks and dependencies.
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
    std::size_t longest = 0; ///< index
    std::size_t n = 0;
    double idle_s = 0; ///< sum
};

/// Of each kind that has any. Who waits a fiftieth of the run at most is left out.
[[nodiscard]] std::vector<Waiters>
waiters_by_kind(const Trace& trace, const TraceAnalysis& analysis, IdleCause cause);

/// One finding, and what may help.
struct Advice {
    double share;     ///< of the run's worker time that it is about, in [0, 1]
    std::string text; ///< a sentence or two
};

/// The largest finding first; empty if nothing stands out.
[[nodiscard]] std::vector<Advice> advice_for(const Trace& trace, const TraceAnalysis& analysis);

} // namespace starfmm
