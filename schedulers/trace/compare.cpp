// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/compare.hpp"

#include "schedulers/trace/numbers.hpp"
#include "schedulers/trace/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace starfmm {

namespace {

/// Times of tasks, and their work, which is the unit that times are divided by.
struct Sample {
    std::vector<double> times;
    std::vector<double> works;

    [[nodiscard]] static double sum(const std::vector<double>& values) {
        double total = 0;
        for (const double value : values) {
            total += value;
        }
        return total;
    }

    [[nodiscard]] double unit_time() const { return sum(times) / sum(works); }

    /// Relative standard error of unit_time(), a ratio of two sums.
    [[nodiscard]] double error() const {
        const auto n = static_cast<double>(times.size());
        if (times.size() < 2 || sum(times) <= 0) {
            return std::numeric_limits<double>::infinity();
        }
        double squares = 0;
        for (std::size_t i = 0; i < times.size(); ++i) {
            squares += std::pow(times[i] - unit_time() * works[i], 2);
        }
        return std::sqrt(squares * n / (n - 1)) / sum(times);
    }
};

using Samples = std::map<std::pair<std::string, std::string>, Sample>;

/// Collects samples by the names of operator and worker, and of operator and all workers of a kind,
/// since chance often decides which of them runs a task.
Samples samples_of(const Trace& trace) {
    const std::vector<double> durations = durations_of(trace);
    Samples samples;
    for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
        const TraceTask& task = trace.tasks[i];
        const TraceWorker& worker = trace.workers[task.worker];
        const std::string kind = worker.is_cuda ? "all GPUs" : "all CPUs";
        for (const std::string& who : {worker.name, kind}) {
            Sample& sample = samples[{trace.operators[task.op].name, who}];
            sample.times.push_back(durations[i]);
            sample.works.push_back(task.work > 0 ? task.work : 1);
        }
    }
    return samples;
}

void compare(const Sample& before, const Sample& after, OperatorChange& change) {
    if (Sample::sum(before.times) > 0) {
        change.ratio = after.unit_time() / before.unit_time();
        change.noise = 2 * change.ratio * std::hypot(before.error(), after.error());
    }
}

const char* verdict(const OperatorChange& change) {
    if (change.tasks_before == 0 || change.tasks_after == 0) {
        return change.tasks_before == 0 ? "new" : "gone";
    }
    if (!std::isfinite(change.noise)) {
        return "one task";
    }
    if (!change.is_real()) {
        return "noise";
    }
    return change.ratio > 1 ? "slower" : "faster";
}

std::string operators_text(const std::vector<OperatorChange>& changes) {
    TextTable table(2);
    table.add({"operator", "worker", "tasks", "then", "time", "then", "time/work", "+-", "which is"}
    );
    for (const OperatorChange& change : changes) {
        const bool has_ratio = change.tasks_before > 0 && change.tasks_after > 0;
        const bool has_noise = has_ratio && std::isfinite(change.noise);
        table.add(
            {change.op,
             change.worker,
             std::to_string(change.tasks_before),
             std::to_string(change.tasks_after),
             time_text(change.before_s),
             time_text(change.after_s),
             has_ratio ? print_number("x %.2f", change.ratio) : "-",
             has_noise ? print_number("%.2f", change.noise) : "-",
             verdict(change)}
        );
    }
    return table.text();
}

std::string runs_text(const TraceAnalysis& before, const TraceAnalysis& after) {
    TextTable table;
    const auto add = [&table](const char* what, double old_time, double new_time) {
        const bool has_ratio = old_time > 0;
        table.add(
            {what,
             time_text(old_time),
             time_text(new_time),
             has_ratio ? print_number("x %.2f", new_time / old_time) : "-"}
        );
    };
    table.add({"", "before", "after", "ratio"});
    add("run", before.makespan_s, after.makespan_s);
    add("bound", before.bound_s(), after.bound_s());
    add("critical path", before.path.length_s, after.path.length_s);
    add("all workers always busy", before.area_bound_s, after.area_bound_s);
    return table.text();
}

/// Sums the idle time of one cause over all workers of a trace.
double idle_of(const TraceAnalysis& analysis, std::size_t cause) {
    double sum = 0;
    for (const WorkerUse& use : analysis.workers) {
        sum += use.idle_s[cause];
    }
    return sum;
}

std::string idle_text(const TraceAnalysis& before, const TraceAnalysis& after) {
    TextTable table;
    table.add({"idle, all workers", "before", "after"});
    for (std::size_t cause = 0; cause < n_idle_causes; ++cause) {
        const double old_time = idle_of(before, cause);
        const double new_time = idle_of(after, cause);
        if (old_time + new_time > 1e-9) { // differences above rounding
            table.add(
                {name_of(static_cast<IdleCause>(cause)), time_text(old_time), time_text(new_time)}
            );
        }
    }
    return table.text();
}

} // namespace

bool OperatorChange::is_real() const {
    constexpr double least = 0.02; // share of the time below which nobody would act
    return std::abs(ratio - 1) > std::max(noise, least);
}

std::vector<OperatorChange> changes_of(const Trace& before, const Trace& after) {
    const Samples old_samples = samples_of(before);
    const Samples new_samples = samples_of(after);
    std::map<std::pair<std::string, std::string>, OperatorChange> changes;
    for (const auto& [names, sample] : old_samples) {
        OperatorChange& change = changes[names];
        change.tasks_before = sample.times.size();
        change.before_s = Sample::sum(sample.times);
    }
    for (const auto& [names, sample] : new_samples) {
        OperatorChange& change = changes[names];
        change.tasks_after = sample.times.size();
        change.after_s = Sample::sum(sample.times);
        if (const auto old = old_samples.find(names); old != old_samples.end()) {
            compare(old->second, sample, change);
        }
    }
    std::vector<OperatorChange> sorted;
    for (auto& [names, change] : changes) {
        change.op = names.first;
        change.worker = names.second;
        sorted.push_back(std::move(change));
    }
    std::ranges::stable_sort(sorted, std::ranges::greater(), [](const OperatorChange& change) {
        return std::abs(change.after_s - change.before_s);
    });
    return sorted;
}

std::string comparison_text(const Trace& before, const Trace& after) {
    const TraceAnalysis old_analysis = analyse(before);
    const TraceAnalysis new_analysis = analyse(after);
    return runs_text(old_analysis, new_analysis) + "\n" + idle_text(old_analysis, new_analysis) +
           "\n" + operators_text(changes_of(before, after));
}

} // namespace starfmm
