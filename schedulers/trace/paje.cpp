// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/paje.hpp"

#include "core/io/atomic_file.hpp"
#include "schedulers/trace/idle.hpp"
#include "schedulers/trace/numbers.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

/// Definitions of the events; the format leaves the events' numbers to the file.
constexpr std::string_view event_definitions = R"(%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineVariableType 3
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeDefineLinkType 4
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 5
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 6
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 7
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajeSetState 8
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeSetVariable 9
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeStartLink 10
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
%EndEventDef
%EventDef PajeEndLink 11
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
1 run 0 "run"
1 worker run "worker"
2 state worker "operator"
2 part worker "part of a fused task"
2 aside worker "part on the second stream"
3 ready run "ready tasks" "0.5 0.5 0.5"
4 wait run worker worker "waits for"
5 idle state "idle" "0.9 0.9 0.9"
5 part_none part "none" "0.9 0.9 0.9"
5 aside_none aside "none" "0.9 0.9 0.9"
5 arrow wait "arrow" "0.5 0.5 0.5"
)";

/// An event's line and its time; lines of the same time keep their order.
struct Line {
    double time;
    std::string text;
};

std::string quoted(const std::string& text) {
    return '"' + text + '"';
}

std::string rgb(unsigned color) {
    const auto part = [color](int shift) { return (color >> shift & 255U) / 255.0; };
    return quoted(print_number("%.3f %.3f %.3f", part(16), part(8), part(0)));
}

/// Returns the kind of state of a part; value_of() names the state.
std::string kind_of(const TraceTaskPart& part) {
    return part.is_aside ? "aside" : "part";
}

std::string value_of(const TraceTaskPart& part) {
    return kind_of(part) + "_" + part.name;
}

/// Defines the names of parts, each once.
std::set<std::string> part_definitions(const Trace& trace) {
    std::set<std::string> lines;
    for (const TraceTask& task : trace.tasks) {
        for (const TraceTaskPart& part : task.parts) {
            if (part.is_timed()) {
                lines.insert(
                    "5 " + value_of(part) + " " + kind_of(part) + " " + quoted(part.name) + " " +
                    rgb(part.color) + "\n"
                );
            }
        }
    }
    return lines;
}

/// Lines of events, put into the order of their times at the end.
class PajeEvents {
public:
    explicit PajeEvents(const Trace& trace) : trace_(trace), durations_(durations_of(trace)) {}

    std::vector<Line> lines() {
        for (std::size_t i = 0; i < trace_.tasks.size(); ++i) {
            add_states(i);
            add_parts(i);
            add_links(i);
        }
        add_ready_tasks();
        // ends come before what begins at the same time
        ends_.insert(ends_.end(), lines_.begin(), lines_.end());
        std::ranges::stable_sort(ends_, {}, &Line::time);
        return std::move(ends_);
    }

private:
    static Line line(const char* event, double time, const std::string& rest) {
        return {time, event + print_number(" %.9f ", time) + rest + '\n'};
    }

    void add(const char* event, double time, const std::string& rest) {
        lines_.push_back(line(event, time, rest));
    }

    static std::string worker(std::size_t index) { return "w" + std::to_string(index); }

    /// Adds a state, which begins where the one before it ends: tasks of a GPU may overlap.
    void add_states(std::size_t index) {
        const TraceTask& task = trace_.tasks[index];
        const std::string lane = "state " + worker(task.worker);
        if (durations_[index] > 0) {
            ends_.push_back(line("8", task.end_s, lane + " idle"));
            add("8", task.end_s - durations_[index], lane + " o" + std::to_string(task.op));
        }
    }

    void add_parts(std::size_t index) {
        const TraceTask& task = trace_.tasks[index];
        for (const TraceTaskPart& part : task.parts) {
            if (part.is_timed()) {
                const std::string lane = kind_of(part) + " " + worker(task.worker) + " ";
                ends_.push_back(line("8", part.end_s, lane + kind_of(part) + "_none"));
                add("8", part.start_s, lane + value_of(part));
            }
        }
    }

    void add_links(std::size_t index) {
        const TraceTask& task = trace_.tasks[index];
        for (const std::size_t before : task.after) {
            const TraceTask& source = trace_.tasks[before];
            const std::string key = " arrow k" + std::to_string(n_links_++);
            add("10", source.end_s, "wait r " + worker(source.worker) + key);
            add("11", std::max(task.start_s, source.end_s), "wait r " + worker(task.worker) + key);
        }
    }

    void add_ready_tasks() {
        std::vector<std::pair<double, int>> changes;
        for (const TraceTask& task : trace_.tasks) {
            changes.emplace_back(std::max(0.0, task.ready_s), 1);
            changes.emplace_back(task.start_s, -1);
        }
        std::ranges::sort(changes);
        int ready = 0;
        for (const auto& [time, change] : changes) {
            ready += change;
            add("9", time, "ready r " + std::to_string(ready));
        }
    }

    const Trace& trace_;
    std::vector<double> durations_;
    std::vector<Line> lines_;
    std::vector<Line> ends_;
    std::size_t n_links_ = 0;
};

} // namespace

void write_paje(const std::string& path, const Trace& trace) {
    AtomicFile file(path);
    file.write(event_definitions);
    for (std::size_t op = 0; op < trace.operators.size(); ++op) {
        const TraceOperator& known = trace.operators[op];
        const std::string alias = "5 o" + std::to_string(op);
        file.write(alias + " state " + quoted(known.name) + " " + rgb(known.color) + "\n");
    }
    for (const std::string& definition : part_definitions(trace)) {
        file.write(definition);
    }
    file.write("6 0 r run 0 \"run\"\n");
    for (std::size_t worker = 0; worker < trace.workers.size(); ++worker) {
        const std::string alias = "w" + std::to_string(worker);
        file.write("6 0 " + alias + " worker r " + quoted(trace.workers[worker].name) + "\n");
        file.write("8 0 state " + alias + " idle\n");
    }
    for (const Line& event : PajeEvents(trace).lines()) {
        file.write(event.text);
    }
    const std::string end = print_number("%.9f", makespan_of(trace));
    for (std::size_t worker = 0; worker < trace.workers.size(); ++worker) {
        file.write("7 " + end + " worker w" + std::to_string(worker) + "\n");
    }
    file.write("7 " + end + " run r\n");
    file.commit();
}

} // namespace starfmm
