// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/text_report.hpp"

#include "schedulers/trace/floors/operator_floors.hpp"
#include "schedulers/trace/numbers.hpp"
#include "schedulers/trace/text_table.hpp"

#include <algorithm>
#include <set>

namespace starfmm {

namespace {

std::string summary(const Trace& trace, const TraceAnalysis& analysis) {
    std::string text = std::to_string(trace.tasks.size()) + " tasks on " +
                       std::to_string(trace.workers.size()) + " workers in " +
                       time_text(analysis.makespan_s) + ", scheduler " + trace.scheduler + "\n";
    if (analysis.makespan_s <= 0) {
        return text;
    }
    text += "bound: " + time_text(analysis.bound_s()) + " (critical path " +
            time_text(analysis.path.length_s) + ", all workers always busy " +
            time_text(analysis.area_bound_s) + "); the run took " +
            print_number("%.2f", analysis.makespan_s / analysis.bound_s()) + " x that\n";
    return text;
}

std::string workers_table(const Trace& trace, const TraceAnalysis& analysis) {
    TextTable table;
    std::vector<std::string> head{"worker", "tasks", "busy"};
    for (std::size_t cause = 0; cause < n_idle_causes; ++cause) {
        head.emplace_back(name_of(static_cast<IdleCause>(cause)));
    }
    table.add(head);
    for (std::size_t worker = 0; worker < trace.workers.size(); ++worker) {
        const WorkerUse& use = analysis.workers[worker];
        std::vector<std::string> row{
            trace.workers[worker].name,
            std::to_string(use.tasks),
            percent_text(use.busy_s / analysis.makespan_s)};
        for (const double idle : use.idle_s) {
            row.push_back(percent_text(idle / analysis.makespan_s));
        }
        table.add(row);
    }
    return table.text();
}

/// Names the units for which there are no floors.
std::string floors_text(const Trace& trace) {
    std::string text =
        "floor's: work/s where nothing but the unit's own rate bounds the operator\n";
    std::set<std::string> unknown;
    for (const TraceWorker& worker : trace.workers) {
        if (!has_floors(worker)) {
            unknown.insert(worker.unit.empty() ? "units without a name" : worker.unit);
        }
    }
    for (const std::string& unit : unknown) {
        text += "  not known for " + unit + "\n";
    }
    return text;
}

std::string operators_table(const Trace& trace, const TraceAnalysis& analysis) {
    TextTable table(2);
    table.add(
        {"operator",
         "worker",
         "tasks",
         "time",
         "work",
         "work/s",
         "best",
         "floor's",
         "reached",
         "measured/predicted"}
    );
    for (const OperatorUse& use : analysis.operators) {
        const bool has_rate = use.time_s > 0 && use.work > 0;
        const auto floor = floor_rate(trace.operators[use.op], trace.workers[use.worker]);
        const bool is_predicted = use.predicted_s > 0;
        table.add(
            {trace.operators[use.op].name,
             trace.workers[use.worker].name,
             std::to_string(use.tasks),
             time_text(use.time_s),
             prefixed_text(use.work),
             has_rate ? prefixed_text(use.work / use.time_s) : "-",
             has_rate ? prefixed_text(use.best_rate) : "-",
             floor ? prefixed_text(*floor) : "-",
             floor && has_rate ? percent_text(use.work / use.time_s / *floor) : "-",
             is_predicted ? print_number("%.2f", use.measured_s / use.predicted_s) : "-"}
        );
    }
    return table.text() + floors_text(trace);
}

/// Writes a rate, or "-" where nothing takes a time.
std::string rate_text(double amount, double time) {
    return time > 0 && amount > 0 ? prefixed_text(amount / time) : "-";
}

std::string parts_table(const Trace& trace, const TraceAnalysis& analysis) {
    if (analysis.parts.empty()) {
        return "";
    }
    TextTable table(3);
    table.add({"part of", "operator", "worker", "parts", "time", "work", "work/s"});
    bool is_timed = true;
    for (const PartUse& use : analysis.parts) {
        is_timed = is_timed && use.time_s > 0;
        table.add(
            {trace.operators[use.op].name,
             use.name,
             trace.workers[use.worker].name,
             std::to_string(use.parts),
             use.time_s > 0 ? time_text(use.time_s) : "-",
             prefixed_text(use.work),
             rate_text(use.work, use.time_s)}
        );
    }
    return table.text() + (is_timed ? "" : "-: this trace does not tell times of parts\n") + "\n";
}

std::string links_table(const Trace& trace, const TraceAnalysis& analysis) {
    if (!trace.has_transfers) {
        const auto bytes = static_cast<double>(trace.transferred_bytes);
        return trace.transferred_bytes > 0
                   ? prefixed_text(bytes) + "B moved between memories; this trace does not tell " +
                         "when, and on which link\n"
                   : "transfers between memories: this trace does not tell them\n";
    }
    if (trace.transfers.empty()) {
        return "transfers between memories: none\n";
    }
    TextTable table;
    table.add({"memory link", "transfers", "bytes", "time", "bytes/s", "share of the run"});
    for (std::size_t link = 0; link < trace.links.size(); ++link) {
        const LinkUse& use = analysis.links[link];
        const auto bytes = static_cast<double>(use.n_bytes);
        table.add(
            {trace.links[link],
             std::to_string(use.transfers),
             prefixed_text(bytes) + "B",
             time_text(use.time_s),
             rate_text(bytes, use.time_s),
             percent_text(use.time_s / analysis.makespan_s)}
        );
    }
    return table.text();
}

/// Writes the most that was held of each device's memory.
std::string memories_text(const Trace& trace) {
    std::vector<std::size_t> most(trace.memories.size());
    for (const TraceMemoryUse& use : trace.memory_uses) {
        most[use.memory] = std::max(most[use.memory], use.n_bytes);
    }
    std::string text;
    for (std::size_t memory = 0; memory < most.size(); ++memory) {
        const auto bytes = static_cast<double>(most[memory]);
        text += "memory of " + trace.memories[memory] + " held by StarPU: at most " +
                prefixed_text(bytes) + "B\n";
    }
    return text;
}

std::string path_table(const Trace& trace, const TraceAnalysis& analysis) {
    TextTable table;
    table.add({"on the critical path", "tasks", "time", "share"});
    for (const PathShare& share : path_shares_of(trace, analysis)) {
        table.add(
            {trace.operators[share.op].name,
             std::to_string(share.tasks),
             time_text(share.time_s),
             percent_text(share.time_s / analysis.path.length_s)}
        );
    }
    return table.text();
}

std::string predictions_text(const PredictionAccuracy& accuracy) {
    if (accuracy.tasks == 0) {
        return "predictions: the scheduler made none\n";
    }
    return "predictions of " + std::to_string(accuracy.tasks) + " tasks: measured is " +
           print_number("%.2f", accuracy.median_ratio) + " x predicted, the error " +
           percent_text(accuracy.median_error) + " (medians)\n";
}

/// Writes the overlap of lists that cores find beside GPUs.
std::string overlap_text(const Overlap& overlap) {
    if (overlap.lists_s == 0) {
        return "";
    }
    return "lists on cores: " + time_text(overlap.lists_s) +
           ", GPUs busy: " + time_text(overlap.gpus_s) +
           ", both at once: " + time_text(overlap.both_s) + "; " +
           percent_text(overlap.unhidden()) + " of the shorter is not hidden\n";
}

/// Explains the workers' columns that are not empty.
std::string legend(const TraceAnalysis& analysis) {
    std::string text;
    for (std::size_t i = 0; i < n_idle_causes; ++i) {
        const auto cause = static_cast<IdleCause>(i);
        const bool occurs = std::ranges::any_of(analysis.workers, [&](const WorkerUse& use) {
            return use.idle(cause) > 1e-9; // above rounding
        });
        if (occurs) {
            text += std::string("  ") + name_of(cause) + ": " + meaning_of(cause) + "\n";
        }
    }
    return text.empty() ? text : "idle times by cause:\n" + text;
}

std::string advice_text(const Trace& trace, const TraceAnalysis& analysis) {
    const std::vector<Advice> all = advice_for(trace, analysis);
    if (all.empty()) {
        return "what to try next: nothing stands out\n";
    }
    std::string text = "what to try next:\n";
    for (const Advice& advice : all) {
        text += "- " + advice.text + "\n";
    }
    return text;
}

} // namespace

std::string text_report(const Trace& trace, const TraceAnalysis& analysis) {
    std::string text = summary(trace, analysis);
    if (analysis.makespan_s > 0) {
        text += "\n" + workers_table(trace, analysis) + legend(analysis) + "\n" +
                operators_table(trace, analysis) + "\n" + parts_table(trace, analysis) +
                links_table(trace, analysis) + memories_text(trace) + "\n" +
                path_table(trace, analysis) + "\n" + overlap_text(analysis.overlap) +
                predictions_text(analysis.predictions) + advice_text(trace, analysis);
    }
    return text;
}

} // namespace starfmm
