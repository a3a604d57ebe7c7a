// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/idle.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace starfmm {

namespace {

struct Interval {
    double first, last;
};

/// A union of intervals.
class Cover {
public:
    explicit Cover(std::vector<Interval> intervals) {
        std::ranges::sort(intervals, {}, &Interval::first);
        for (const Interval& interval : intervals) {
            if (interval.last <= interval.first) {
                continue;
            }
            if (disjoint_.empty() || interval.first > disjoint_.back().last) {
                before_.push_back(length());
                disjoint_.push_back(interval);
            } else {
                disjoint_.back().last = std::max(disjoint_.back().last, interval.last);
            }
        }
    }

    /// Length of the union between two times.
    [[nodiscard]] double within(double first, double last) const {
        return last > first ? up_to(last) - up_to(first) : 0;
    }

private:
    [[nodiscard]] double length() const {
        return disjoint_.empty() ? 0
                                 : before_.back() + disjoint_.back().last - disjoint_.back().first;
    }

    [[nodiscard]] double up_to(double time) const {
        const auto next = std::ranges::upper_bound(disjoint_, time, {}, &Interval::first);
        if (next == disjoint_.begin()) {
            return 0;
        }
        const auto own = static_cast<std::size_t>(next - disjoint_.begin()) - 1;
        return before_[own] + std::min(time, disjoint_[own].last) - disjoint_[own].first;
    }

    std::vector<Interval> disjoint_; ///< ascending
    std::vector<double> before_;     ///< length of all intervals before each one
};

/// Whether workers of a kind ran tasks of an operator.
std::vector<bool> runs_on(const Trace& trace, bool is_cuda) {
    std::vector<bool> runs(trace.operators.size());
    for (const TraceTask& task : trace.tasks) {
        if (trace.workers[task.worker].is_cuda == is_cuda) {
            runs[task.op] = true;
        }
    }
    return runs;
}

/// Times in which something waits, as the workers of one kind see it.
struct Waiting {
    Cover ready;       ///< times in which tasks that they could run were ready
    Cover submitted;   ///< times in which tasks that they could run were submitted
    double last_start; ///< last start of a task that they could run
};

Waiting waiting_for(const Trace& trace, bool is_cuda) {
    const std::vector<bool> runs = runs_on(trace, is_cuda);
    std::vector<Interval> ready;
    std::vector<Interval> submitted;
    double last_start = 0;
    for (const TraceTask& task : trace.tasks) {
        if (runs[task.op]) {
            submitted.push_back({task.submit_s, task.start_s});
            ready.push_back({task.ready_s, task.start_s});
            last_start = std::max(last_start, task.start_s);
        }
    }
    return {Cover(std::move(ready)), Cover(std::move(submitted)), last_start};
}

/// Lists the tasks of each worker by their start.
std::vector<std::vector<std::size_t>> lanes_of(const Trace& trace) {
    std::vector<std::vector<std::size_t>> lanes(trace.workers.size());
    std::vector<std::size_t> order(trace.tasks.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return trace.tasks[i].start_s; });
    for (const std::size_t task : order) {
        lanes[trace.tasks[task].worker].push_back(task);
    }
    return lanes;
}

/// Sorts the times in which one worker is idle by their causes.
class LaneUse {
public:
    LaneUse(const Trace& trace, const Waiting& waiting, std::vector<Gap>& gaps)
        : trace_(trace), waiting_(waiting), gaps_(gaps) {}

    [[nodiscard]] WorkerUse use(const std::vector<std::size_t>& lane, double makespan) {
        double free_from = 0; // the end of the tasks so far
        for (const std::size_t index : lane) {
            const TraceTask& task = trace_.tasks[index];
            if (task.start_s > free_from) {
                add_gap(index, free_from);
            }
            use_.busy_s += std::max(0.0, task.end_s - std::max(task.start_s, free_from));
            free_from = std::max(free_from, task.end_s);
        }
        use_.tasks = lane.size();
        const double tail_from = std::max(free_from, waiting_.last_start);
        const double ready = waiting_.ready.within(free_from, tail_from);
        const double submitted = waiting_.submitted.within(free_from, tail_from);
        use_.idle_s[index_of(IdleCause::elsewhere)] += ready;
        use_.idle_s[index_of(IdleCause::dependencies)] += submitted - ready;
        use_.idle_s[index_of(IdleCause::submission)] += tail_from - free_from - submitted;
        use_.idle_s[index_of(IdleCause::tail)] = makespan - tail_from;
        return use_;
    }

private:
    static std::size_t index_of(IdleCause cause) { return static_cast<std::size_t>(cause); }

    /// Adds the gap before a task, which began at `first`.
    void add_gap(std::size_t index, double first) {
        const TraceTask& task = trace_.tasks[index];
        const double ready_at = std::clamp(task.ready_s, first, task.start_s);
        const double ready = waiting_.ready.within(first, ready_at);
        const double submitted = waiting_.submitted.within(first, ready_at);
        const double fetch = std::clamp(task.fetch_s, ready_at, task.start_s);
        const double fetched = std::clamp(task.fetched_s, fetch, task.start_s);
        Gap gap{index, first, {}};
        gap.idle_s[index_of(IdleCause::elsewhere)] = ready;
        gap.idle_s[index_of(IdleCause::dependencies)] = submitted - ready;
        gap.idle_s[index_of(IdleCause::submission)] = ready_at - first - submitted;
        gap.idle_s[index_of(IdleCause::transfer)] = fetched - fetch;
        gap.idle_s[index_of(IdleCause::scheduling)] = task.start_s - ready_at - (fetched - fetch);
        for (std::size_t cause = 0; cause < n_idle_causes; ++cause) {
            use_.idle_s[cause] += gap.idle_s[cause];
        }
        gaps_.push_back(gap);
    }

    const Trace& trace_;
    const Waiting& waiting_;
    std::vector<Gap>& gaps_;
    WorkerUse use_;
};

struct CauseText {
    const char* name;
    const char* meaning;
};

constexpr std::array<CauseText, n_idle_causes> texts{
    {{"submission", "nothing submitted was left: the caller was late"},
     {"dependencies", "what was submitted waited for tasks that ran elsewhere"},
     {"elsewhere", "tasks that it could run were ready, and others ran them"},
     {"scheduling", "its next task was ready, and not begun"},
     {"transfer", "its next task waited for data"},
     {"tail", "all that it could run was begun"}}};

} // namespace

const char* name_of(IdleCause cause) {
    return texts[static_cast<std::size_t>(cause)].name;
}

const char* meaning_of(IdleCause cause) {
    return texts[static_cast<std::size_t>(cause)].meaning;
}

double WorkerUse::total_idle() const {
    return std::accumulate(idle_s.begin(), idle_s.end(), 0.0);
}

std::vector<double> durations_of(const Trace& trace) {
    std::vector<double> durations(trace.tasks.size());
    for (const std::vector<std::size_t>& lane : lanes_of(trace)) {
        double free_from = 0;
        for (const std::size_t index : lane) {
            const TraceTask& task = trace.tasks[index];
            durations[index] = std::max(0.0, task.end_s - std::max(task.start_s, free_from));
            free_from = std::max(free_from, task.end_s);
        }
    }
    return durations;
}

WorkerUses worker_uses_of(const Trace& trace) {
    const Waiting by_kind[]{waiting_for(trace, false), waiting_for(trace, true)};
    const std::vector<std::vector<std::size_t>> lanes = lanes_of(trace);
    const double makespan = makespan_of(trace);
    WorkerUses uses;
    for (std::size_t worker = 0; worker < lanes.size(); ++worker) {
        const Waiting& waiting = by_kind[trace.workers[worker].is_cuda ? 1 : 0];
        LaneUse lane(trace, waiting, uses.gaps);
        uses.workers.push_back(lane.use(lanes[worker], makespan));
    }
    return uses;
}

} // namespace starfmm
