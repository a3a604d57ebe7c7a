// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace starfmm {

namespace {

std::vector<OperatorUse> operator_uses(const Trace& trace, const std::vector<double>& durations) {
    const std::size_t n_workers = trace.workers.size();
    std::vector<OperatorUse> uses(trace.operators.size() * n_workers);
    for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
        const TraceTask& task = trace.tasks[i];
        OperatorUse& use = uses[task.op * n_workers + task.worker];
        use.op = task.op;
        use.worker = task.worker;
        ++use.tasks;
        use.time_s += durations[i];
        use.work += task.work;
        if (task.predicted_s > 0) {
            use.predicted_s += task.predicted_s;
            use.measured_s += durations[i];
        }
    }
    for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
        const TraceTask& task = trace.tasks[i];
        OperatorUse& use = uses[task.op * n_workers + task.worker];
        const double least = 0.5 * use.work / static_cast<double>(use.tasks);
        if (task.work >= least && durations[i] > 0) { // a short task's time is mostly overhead
            use.best_rate = std::max(use.best_rate, task.work / durations[i]);
        }
    }
    std::erase_if(uses, [](const OperatorUse& use) { return use.tasks == 0; });
    return uses;
}

std::vector<PartUse> part_uses(const Trace& trace) {
    std::vector<PartUse> uses;
    for (const TraceTask& task : trace.tasks) {
        for (const TraceTaskPart& part : task.parts) {
            auto use = std::ranges::find_if(uses, [&](const PartUse& u) {
                return u.op == task.op && u.worker == task.worker && u.name == part.name;
            });
            if (use == uses.end()) {
                use = uses.insert(uses.end(), {task.op, task.worker, part.name});
            }
            ++use->parts;
            use->time_s += part.end_s - part.start_s;
            use->work += part.work;
        }
    }
    return uses;
}

std::vector<LinkUse> link_uses(const Trace& trace) {
    std::vector<LinkUse> uses(trace.links.size());
    for (const TraceTransfer& transfer : trace.transfers) {
        LinkUse& use = uses[transfer.link];
        ++use.transfers;
        use.n_bytes += transfer.n_bytes;
        use.time_s += transfer.end_s - transfer.start_s;
    }
    return uses;
}

/// Returns the median, the upper one of two.
double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

PredictionAccuracy accuracy_of(const Trace& trace, const std::vector<double>& durations) {
    std::vector<double> ratios;
    std::vector<double> errors;
    for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
        const double predicted = trace.tasks[i].predicted_s;
        if (predicted > 0 && durations[i] > 0) {
            ratios.push_back(durations[i] / predicted);
            errors.push_back(std::abs(durations[i] - predicted) / durations[i]);
        }
    }
    if (ratios.empty()) {
        return {};
    }
    return {ratios.size(), median(ratios), median(errors)};
}

} // namespace

double TraceAnalysis::bound_s() const {
    return std::max(area_bound_s, path.length_s);
}

TraceAnalysis analyse(const Trace& trace) {
    TraceAnalysis analysis;
    analysis.makespan_s = makespan_of(trace);
    analysis.durations = durations_of(trace);
    WorkerUses uses = worker_uses_of(trace);
    analysis.workers = std::move(uses.workers);
    analysis.gaps = std::move(uses.gaps);
    analysis.operators = operator_uses(trace, analysis.durations);
    analysis.parts = part_uses(trace);
    analysis.links = link_uses(trace);
    analysis.path = critical_path_of(trace, analysis.durations);
    analysis.area_bound_s = area_bound_of(trace, analysis.durations);
    analysis.predictions = accuracy_of(trace, analysis.durations);
    analysis.overlap = overlap_of(trace);
    return analysis;
}

std::vector<PathShare> path_shares_of(const Trace& trace, const TraceAnalysis& analysis) {
    std::vector<PathShare> shares;
    for (std::size_t op = 0; op < trace.operators.size(); ++op) {
        shares.push_back({op, 0, 0});
    }
    for (const std::size_t task : analysis.path.tasks) {
        PathShare& share = shares[trace.tasks[task].op];
        ++share.tasks;
        share.time_s += analysis.durations[task];
    }
    std::erase_if(shares, [](const PathShare& share) { return share.tasks == 0; });
    std::ranges::stable_sort(shares, std::ranges::greater(), &PathShare::time_s);
    return shares;
}

std::vector<Waiters>
waiters_by_kind(const Trace& trace, const TraceAnalysis& analysis, IdleCause cause) {
    constexpr double least_share = 0.02;
    std::vector<Waiters> all;
    for (const bool is_cuda : {false, true}) {
        Waiters waiters;
        double most = 0;
        for (std::size_t worker = 0; worker < trace.workers.size(); ++worker) {
            const double idle = analysis.workers[worker].idle(cause);
            if (trace.workers[worker].is_cuda != is_cuda ||
                idle <= least_share * analysis.makespan_s) {
                continue;
            }
            waiters.longest = idle > most ? worker : waiters.longest;
            most = std::max(most, idle);
            waiters.idle_s += idle;
            ++waiters.n;
        }
        if (waiters.n > 0) {
            all.push_back(waiters);
        }
    }
    return all;
}

} // namespace starfmm
