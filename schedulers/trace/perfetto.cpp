// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/perfetto.hpp"

#include "core/io/atomic_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

using Json = nlohmann::json;

constexpr double us = 1e6; ///< in a second: microseconds are the format's unit
constexpr int tasks_process = 0;
constexpr int data_process = 1;

/// Squared distance of two colours.
int distance(unsigned a, unsigned b) {
    int sum = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const int difference =
            static_cast<int>(a >> shift & 255U) - static_cast<int>(b >> shift & 255U);
        sum += difference * difference;
    }
    return sum;
}

struct NamedColor {
    unsigned rgb;
    const char* name;
};

/// Of the viewer.
constexpr std::array<NamedColor, 9> palette{
    {{0x9e9e9e, "grey"},
     {0x8d6e63, "olive"},
     {0x1e88e5, "rail_load"},
     {0x64b5f6, "thread_state_runnable"},
     {0x43a047, "thread_state_running"},
     {0x9ccc65, "good"},
     {0xfb8c00, "thread_state_iowait"},
     {0xe53935, "terrible"},
     {0x8e24aa, "rail_response"}}};

/// The format knows no free colours, only names from the viewer's palette: the one nearest to ours.
const char* color_name(unsigned color) {
    const auto to_color = [color](const NamedColor& named) { return distance(color, named.rgb); };
    return std::ranges::min_element(palette, {}, to_color)->name;
}

Json header_of(const Trace& trace) {
    Json workers = Json::array();
    for (const TraceWorker& worker : trace.workers) {
        workers.push_back({{"name", worker.name}, {"kind", worker.is_cuda ? "cuda" : "cpu"}});
    }
    Json operators = Json::array();
    for (const TraceOperator& op : trace.operators) {
        operators.push_back({{"name", op.name}, {"color", op.color}});
    }
    return {
        {"format", trace_format_name},
        {"version", trace_format_version},
        {"scheduler", trace.scheduler},
        {"transferred_bytes", trace.transferred_bytes},
        {"workers", workers},
        {"operators", operators},
        {"tasks", trace.tasks.size()}};
}

Json name_event(const char* what, int process, std::size_t lane, const std::string& name) {
    return {
        {"name", what}, {"ph", "M"}, {"pid", process}, {"tid", lane}, {"args", {{"name", name}}}};
}

Json parts_of(const TraceTask& task) {
    Json parts = Json::array();
    for (const TraceTaskPart& part : task.parts) {
        parts.push_back({{"name", part.name}, {"work", part.work}});
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
    }

private:
    void add(const Json& event) {
        file_.write(is_first_ ? "\n" : ",\n");
        file_.write(event.dump());
        is_first_ = false;
    }

    void write_lanes() {
        const bool fetches = std::ranges::any_of(trace_.tasks, waits_for_data);
        add(name_event("process_name", tasks_process, 0, "workers"));
        if (fetches) {
            add(name_event("process_name", data_process, 0, "waiting for data"));
        }
        for (std::size_t worker = 0; worker < trace_.workers.size(); ++worker) {
            const std::string& name = trace_.workers[worker].name;
            add(name_event("thread_name", tasks_process, worker, name));
            if (fetches) {
                add(name_event("thread_name", data_process, worker, name));
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
        add(
            {{"name", op.name},
             {"cat", "task"},
             {"ph", "X"},
             {"pid", tasks_process},
             {"tid", task.worker},
             {"ts", us * task.start_s},
             {"dur", us * (task.end_s - task.start_s)},
             {"cname", color_name(op.color)},
             {"args", arguments_of(task, index, critical_[index])}}
        );
        if (waits_for_data(task)) {
            const double start = std::max(0.0, task.fetch_s); // the format has no time before 0
            add(
                {{"name", "data of " + op.name},
                 {"cat", "data"},
                 {"ph", "X"},
                 {"pid", data_process},
                 {"tid", task.worker},
                 {"ts", us * start},
                 {"dur", us * std::max(0.0, task.fetched_s - start)}}
            );
        }
    }

    /// From a task to those that wait for it.
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
            {"pid", tasks_process},
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
            add(
                {{"name", "ready tasks"},
                 {"ph", "C"},
                 {"pid", tasks_process},
                 {"ts", us * time},
                 {"args", {{"tasks", ready}}}}
            );
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
    // what the reader needs first: of a file that was cut off it can say what is missing
    file.write(R"({"displayTimeUnit":"ms","otherData":)" + header_of(trace).dump());
    file.write(R"(,"traceEvents":[)");
    EventWriter(file, trace, analysis).write();
    file.write("\n]}\n");
    file.commit();
}

} // namespace starfmm
