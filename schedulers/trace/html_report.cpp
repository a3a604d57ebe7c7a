// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/html_report.hpp"

#include "schedulers/trace/floors/operator_floors.hpp"
#include "schedulers/trace/numbers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starfmm {

namespace {

using Json = nlohmann::json;

/// Returns microseconds, rounded to the nanosecond: more digits only make the file larger.
double microseconds(double seconds) {
    return std::round(1e9 * seconds) / 1e3;
}

Json workers_of(const Trace& trace, const TraceAnalysis& analysis) {
    Json workers = Json::array();
    for (std::size_t i = 0; i < trace.workers.size(); ++i) {
        const WorkerUse& use = analysis.workers[i];
        Json idle = Json::array();
        for (const double time : use.idle_s) {
            idle.push_back(microseconds(time));
        }
        workers.push_back(
            {{"name", trace.workers[i].name},
             {"unit", trace.workers[i].unit},
             {"has_floors", has_floors(trace.workers[i])},
             {"tasks", use.tasks},
             {"busy_us", microseconds(use.busy_s)},
             {"idle_us", idle}}
        );
    }
    return workers;
}

Json causes() {
    Json all = Json::array();
    for (std::size_t i = 0; i < n_idle_causes; ++i) {
        const auto cause = static_cast<IdleCause>(i);
        all.push_back({{"name", name_of(cause)}, {"meaning", meaning_of(cause)}});
    }
    return all;
}

Json operators_of(const Trace& trace) {
    Json operators = Json::array();
    for (const TraceOperator& op : trace.operators) {
        operators.push_back({{"name", op.name}, {"color", print_number("#%06x", op.color)}});
    }
    return operators;
}

/// Returns the uses of workers by operators; rates are work a second, 0 where not known.
Json uses_of(const Trace& trace, const TraceAnalysis& analysis) {
    Json uses = Json::array();
    for (const OperatorUse& use : analysis.operators) {
        uses.push_back(
            {{"op", use.op},
             {"worker", use.worker},
             {"tasks", use.tasks},
             {"time_us", microseconds(use.time_s)},
             {"work", use.work},
             {"best_rate", use.best_rate},
             {"floor_rate",
              floor_rate(trace.operators[use.op], trace.workers[use.worker]).value_or(0)},
             {"ratio", use.predicted_s > 0 ? use.measured_s / use.predicted_s : 0}}
        );
    }
    return uses;
}

Json part_uses_of(const TraceAnalysis& analysis) {
    Json uses = Json::array();
    for (const PartUse& use : analysis.parts) {
        uses.push_back(
            {{"op", use.op},
             {"worker", use.worker},
             {"name", use.name},
             {"parts", use.parts},
             {"time_us", microseconds(use.time_s)},
             {"work", use.work}}
        );
    }
    return uses;
}

Json links_of(const Trace& trace, const TraceAnalysis& analysis) {
    Json links = Json::array();
    for (std::size_t link = 0; link < trace.links.size(); ++link) {
        const LinkUse& use = analysis.links[link];
        links.push_back(
            {{"name", trace.links[link]},
             {"transfers", use.transfers},
             {"bytes", use.n_bytes},
             {"time_us", microseconds(use.time_s)}}
        );
    }
    return links;
}

Json transfers_of(const Trace& trace) {
    Json link = Json::array();
    Json bytes = Json::array();
    Json start = Json::array();
    Json end = Json::array();
    for (const TraceTransfer& transfer : trace.transfers) {
        link.push_back(transfer.link);
        bytes.push_back(transfer.n_bytes);
        start.push_back(microseconds(transfer.start_s));
        end.push_back(microseconds(transfer.end_s));
    }
    return {{"link", link}, {"bytes", bytes}, {"start", start}, {"end", end}};
}

/// Returns the steps of each device's memory: [memory][{time, bytes}].
Json memories_of(const Trace& trace) {
    Json memories = Json::array();
    for (const std::string& name : trace.memories) {
        memories.push_back({{"name", name}, {"uses", Json::array()}});
    }
    for (const TraceMemoryUse& use : trace.memory_uses) {
        memories[use.memory]["uses"].push_back({microseconds(use.time_s), use.n_bytes});
    }
    return memories;
}

Json shares_of(const Trace& trace, const TraceAnalysis& analysis) {
    Json shares = Json::array();
    for (const PathShare& share : path_shares_of(trace, analysis)) {
        shares.push_back(
            {{"op", share.op}, {"tasks", share.tasks}, {"time_us", microseconds(share.time_s)}}
        );
    }
    return shares;
}

Json advice_of(const Trace& trace, const TraceAnalysis& analysis) {
    Json texts = Json::array();
    for (const Advice& advice : advice_for(trace, analysis)) {
        texts.push_back(advice.text);
    }
    return texts;
}

/// Makes a column of the tasks: rows with names would take most of the file.
template <class Value>
Json column(const Trace& trace, Value&& value) {
    Json values = Json::array();
    for (const TraceTask& task : trace.tasks) {
        values.push_back(value(task));
    }
    return values;
}

Json time_column(const Trace& trace, double TraceTask::*time) {
    return column(trace, [time](const TraceTask& task) { return microseconds(task.*time); });
}

Json tasks_of(const Trace& trace) {
    Json after = Json::array();
    Json after_first = Json::array();
    for (const TraceTask& task : trace.tasks) {
        after_first.push_back(after.size());
        for (const std::size_t before : task.after) {
            after.push_back(before);
        }
    }
    after_first.push_back(after.size());
    return {
        {"op", column(trace, [](const TraceTask& task) { return task.op; })},
        {"worker", column(trace, [](const TraceTask& task) { return task.worker; })},
        {"work", column(trace, [](const TraceTask& task) { return task.work; })},
        {"group", column(trace, [](const TraceTask& task) { return task.group; })},
        {"level", column(trace, [](const TraceTask& task) { return task.level; })},
        {"implementation", column(trace, [](const TraceTask& t) { return t.implementation; })},
        {"start", time_column(trace, &TraceTask::start_s)},
        {"end", time_column(trace, &TraceTask::end_s)},
        {"ready", time_column(trace, &TraceTask::ready_s)},
        {"fetch", time_column(trace, &TraceTask::fetch_s)},
        {"fetched", time_column(trace, &TraceTask::fetched_s)},
        {"predicted", time_column(trace, &TraceTask::predicted_s)},
        {"after_first", after_first},
        {"after", after}};
}

Json parts_of(const Trace& trace) {
    Json parts = Json::object();
    for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
        for (const TraceTaskPart& part : trace.tasks[i].parts) {
            parts[std::to_string(i)].push_back(
                {part.name,
                 part.work,
                 microseconds(part.start_s),
                 microseconds(part.end_s),
                 print_number("#%06x", part.color),
                 part.is_aside ? 1 : 0}
            );
        }
    }
    return parts;
}

/// Returns the gaps, each with the cause of most of it.
Json gaps_of(const TraceAnalysis& analysis) {
    Json tasks = Json::array();
    Json firsts = Json::array();
    Json main_causes = Json::array();
    for (const Gap& gap : analysis.gaps) {
        tasks.push_back(gap.task);
        firsts.push_back(microseconds(gap.first_s));
        main_causes.push_back(std::ranges::max_element(gap.idle_s) - gap.idle_s.begin());
    }
    return {{"task", tasks}, {"first", firsts}, {"cause", main_causes}};
}

/// Makes text that may stand within a script element.
std::string script_safe(std::string text) {
    for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 3)) {
        text.insert(at + 1, 1, '\\');
    }
    return text;
}

} // namespace

std::string html_report(const Trace& trace, const TraceAnalysis& analysis) {
    const PredictionAccuracy& predictions = analysis.predictions;
    const Overlap& overlap = analysis.overlap;
    const Json data{
        {"scheduler", trace.scheduler},
        {"transferred_bytes", trace.transferred_bytes},
        {"makespan_us", microseconds(analysis.makespan_s)},
        {"bound_us", microseconds(analysis.bound_s())},
        {"path_us", microseconds(analysis.path.length_s)},
        {"area_us", microseconds(analysis.area_bound_s)},
        {"workers", workers_of(trace, analysis)},
        {"causes", causes()},
        {"operators", operators_of(trace)},
        {"uses", uses_of(trace, analysis)},
        {"part_uses", part_uses_of(analysis)},
        {"has_transfers", trace.has_transfers},
        {"links", links_of(trace, analysis)},
        {"transfers", transfers_of(trace)},
        {"memories", memories_of(trace)},
        {"path", analysis.path.tasks},
        {"shares", shares_of(trace, analysis)},
        {"predictions",
         {{"tasks", predictions.tasks},
          {"ratio", predictions.median_ratio},
          {"error", predictions.median_error}}},
        {"overlap",
         {{"lists_us", microseconds(overlap.lists_s)},
          {"gpus_us", microseconds(overlap.gpus_s)},
          {"unhidden", overlap.unhidden()}}},
        {"advice", advice_of(trace, analysis)},
        {"tasks", tasks_of(trace)},
        {"parts", parts_of(trace)},
        {"gaps", gaps_of(analysis)}};
    std::string page(report_page.begin);
    page += script_safe(data.dump());
    return page += report_page.end;
}

} // namespace starfmm
