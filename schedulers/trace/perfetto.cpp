// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/perfetto.hpp"

#include "core/io/atomic_file.hpp"
#include "schedulers/trace/events/viewer_events.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

using Json = nlohmann::json;

/// Returns the memories' uses for the header, since counters know their memories by name only.
Json memory_uses_of(const Trace& trace) {
    Json uses = Json::array();
    for (const TraceMemoryUse& use : trace.memory_uses) {
        uses.push_back({use.memory, us * use.time_s, use.n_bytes});
    }
    return uses;
}

Json header_of(const Trace& trace) {
    Json workers = Json::array();
    for (const TraceWorker& worker : trace.workers) {
        workers.push_back(
            {{"name", worker.name},
             {"kind", worker.is_cuda ? "cuda" : "cpu"},
             {"unit", worker.unit}}
        );
    }
    Json operators = Json::array();
    for (const TraceOperator& op : trace.operators) {
        operators.push_back({{"name", op.name}, {"color", op.color}, {"variant", op.variant}});
    }
    Json header{
        {"format", trace_format_name},
        {"version", trace_format_version},
        {"scheduler", trace.scheduler},
        {"transferred_bytes", trace.transferred_bytes},
        {"workers", workers},
        {"operators", operators},
        {"tasks", trace.tasks.size()}};
    if (trace.has_transfers) {
        header["links"] = trace.links;
        header["memories"] = trace.memories;
        header["memory_uses"] = memory_uses_of(trace);
    }
    return header;
}

Json parts_of(const TraceTask& task) {
    Json parts = Json::array();
    for (const TraceTaskPart& part : task.parts) {
        parts.push_back(
            {{"name", part.name},
             {"work", part.work},
             {"color", part.color},
             {"start_us", us * part.start_s},
             {"end_us", us * part.end_s},
             {"aside", part.is_aside}}
        );
    }
    return parts;
}

Json arguments_of(const TraceTask& task, std::size_t index, bool is_critical) {
    Json args{
        {"task", index},
        {"level", task.level},
        {"group", task.group},
        {"work", task.work},
        {"measured_us", us * (task.end_s - task.start_s)},
        {"predicted_us", us * task.predicted_s},
        {"implementation", task.implementation},
        {"submit_us", us * task.submit_s},
        {"ready_us", us * task.ready_s},
        {"fetch_us", us * task.fetch_s},
        {"fetched_us", us * task.fetched_s},
        {"after", task.after},
        {"critical", is_critical}};
    if (!task.parts.empty()) {
        args["parts"] = parts_of(task);
    }
    return args;
}

/// Writes the events, one a line.
class EventWriter {
public:
    EventWriter(AtomicFile& file, const Trace& trace, const TraceAnalysis& analysis)
        : file_(file), trace_(trace), critical_(trace.tasks.size()) {
        for (const std::size_t task : analysis.path.tasks) {
            critical_[task] = true;
        }
    }

    void write() {
        write_lanes();
        for (std::size_t i = 0; i < trace_.tasks.size(); ++i) {
            write_task(i);
        }
        write_arrows();
        write_ready_tasks();
        write_device_events(trace_, [this](const Json& event) { add(event); });
    }

private:
    void add(const Json& event) {
        file_.write(is_first_ ? "\n" : ",\n");
        file_.write(event.dump());
        is_first_ = false;
    }

    void write_lanes() {
        const bool fetches = std::ranges::any_of(trace_.tasks, waits_for_data);
        add(lanes_name(Lanes::workers, "workers"));
        if (fetches) {
            add(lanes_name(Lanes::waits, "waiting for data"));
        }
        for (std::size_t worker = 0; worker < trace_.workers.size(); ++worker) {
            const std::string& name = trace_.workers[worker].name;
            add(lane_name(Lanes::workers, worker, name));
            if (fetches) {
                add(lane_name(Lanes::waits, worker, name));
            }
        }
    }

    static bool waits_for_data(const TraceTask& task) {
        constexpr double visible = 1e-6;
        return task.fetched_s - task.fetch_s > visible;
    }

    void write_task(std::size_t index) {
        const TraceTask& task = trace_.tasks[index];
        const TraceOperator& op = trace_.operators[task.op];
        Json event =
            event_of({op.name, "task", Lanes::workers, task.worker, task.start_s, task.end_s});
        event["cname"] = viewer_color(op.color);
        event["args"] = arguments_of(task, index, critical_[index]);
        add(event);
        if (waits_for_data(task)) {
            const double start = std::max(0.0, task.fetch_s); // the format has no time before 0
            const double end = std::max(start, task.fetched_s);
            add(event_of({"data of " + op.name, "data", Lanes::waits, task.worker, start, end}));
        }
    }

    /// Writes an arrow from each task to those that wait for it.
    void write_arrows() {
        std::size_t id = 0;
        for (const TraceTask& task : trace_.tasks) {
            for (const std::size_t before : task.after) {
                const TraceTask& source = trace_.tasks[before];
                add(arrow_end("s", id, source.worker, source.start_s));
                Json head = arrow_end("f", id, task.worker, task.start_s);
                head["bp"] = "e";
                add(head);
                ++id;
            }
        }
    }

    static Json arrow_end(const char* kind, std::size_t id, std::size_t worker, double time) {
        return {
            {"name", "waits for"},
            {"cat", "dependency"},
            {"ph", kind},
            {"id", id},
            {"pid", static_cast<int>(Lanes::workers)},
            {"tid", worker},
            {"ts", us * time}};
    }

    void write_ready_tasks() {
        std::vector<std::pair<double, int>> changes;
        for (const TraceTask& task : trace_.tasks) {
            if (task.ready_s < task.start_s) {
                changes.emplace_back(std::max(0.0, task.ready_s), 1);
                changes.emplace_back(task.start_s, -1);
            }
        }
        std::ranges::sort(changes);
        int ready = 0;
        for (const auto& [time, change] : changes) {
            ready += change;
            add(counter_event("ready tasks", "tasks", time, ready));
        }
    }

    AtomicFile& file_;
    const Trace& trace_;
    std::vector<bool> critical_;
    bool is_first_ = true;
};

} // namespace

void write_perfetto(const std::string& path, const Trace& trace, const TraceAnalysis& analysis) {
    AtomicFile file(path);
    // the header comes first: the reader can say what is missing of a file that was cut off
    file.write(R"({"displayTimeUnit":"ms","otherData":)" + header_of(trace).dump());
    file.write(R"(,"traceEvents":[)");
    EventWriter(file, trace, analysis).write();
    file.write("\n]}\n");
    file.commit();
}

} // namespace starfmm
