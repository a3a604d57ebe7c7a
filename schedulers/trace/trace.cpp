// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/trace.hpp"

#include "core/io/atomic_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

namespace starfmm {

namespace {

std::string short_name(const Codelet& codelet) {
    constexpr std::string_view prefix = "starfmm_";
    const std::string& name = codelet.name();
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

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

nlohmann::json lane_event(int worker, const WorkerInfo& info) {
    return {
        {"name", "thread_name"},
        {"ph", "M"},
        {"pid", 0},
        {"tid", worker},
        {"args", {{"name", info.name}}}};
}

nlohmann::json task_event(const TaskRecord& record, double origin) {
    return {
        {"name", short_name(*record.codelet)},
        {"cat", "task"},
        {"ph", "X"},
        {"pid", 0},
        {"tid", record.worker},
        {"ts", 1e6 * (record.start_s - origin)},
        {"dur", 1e6 * (record.end_s - record.start_s)},
        {"cname", color_name(record.codelet->color())},
        {"args", {{"work", record.work}}}};
}

} // namespace

std::vector<Phase> phases_of(const std::vector<TaskRecord>& records) {
    std::vector<Phase> phases;
    for (const TaskRecord& record : records) {
        const std::string name = short_name(*record.codelet);
        auto phase = std::find_if(phases.begin(), phases.end(), [&name](const Phase& p) {
            return p.name == name;
        });
        if (phase == phases.end()) {
            phase = phases.insert(phases.end(), {name});
        }
        phase->time_s += record.end_s - record.start_s;
        ++phase->tasks;
        phase->work += record.work;
    }
    return phases;
}

namespace {

/// A lane for each worker, and what ran in it, from the first start on.
nlohmann::json events_of(const Runtime& runtime) {
    double origin = std::numeric_limits<double>::max();
    for (const TaskRecord& record : runtime.records()) {
        origin = std::min(origin, record.start_s);
    }
    nlohmann::json events = nlohmann::json::array();
    int worker = 0;
    for (const WorkerInfo& info : runtime.workers()) {
        events.push_back(lane_event(worker++, info));
    }
    for (const TaskRecord& record : runtime.records()) {
        events.push_back(task_event(record, origin));
    }
    return events;
}

} // namespace

void write_trace(const std::string& path, const Runtime& runtime) {
    const nlohmann::json trace = {
        {"traceEvents", events_of(runtime)},
        {"displayTimeUnit", "ms"},
        {"otherData",
         {{"scheduler", runtime.policy()}, {"transferred_bytes", runtime.transferred_bytes()}}}};
    AtomicFile file(path);
    file.write(trace.dump());
    file.commit();
}

} // namespace starfmm
