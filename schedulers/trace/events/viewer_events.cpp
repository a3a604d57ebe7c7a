// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/events/viewer_events.hpp"

#include "schedulers/trace/numbers.hpp"

#include <algorithm>
#include <set>

namespace starfmm {

namespace {

using Json = nlohmann::json;

Json name_event(const char* what, Lanes lanes, std::size_t lane, const std::string& name) {
    return {
        {"name", what},
        {"ph", "M"},
        {"pid", static_cast<int>(lanes)},
        {"tid", lane},
        {"args", {{"name", name}}}};
}

void write_transfers(const Trace& trace, const EventSink& add) {
    if (!trace.links.empty()) {
        add(lanes_name(Lanes::links, "memory links"));
    }
    for (std::size_t link = 0; link < trace.links.size(); ++link) {
        add(lane_name(Lanes::links, link, trace.links[link]));
    }
    for (const TraceTransfer& transfer : trace.transfers) {
        const auto n_bytes = static_cast<double>(transfer.n_bytes);
        const double time = transfer.end_s - transfer.start_s;
        Json event = event_of(
            {prefixed_text(n_bytes) + "B",
             "transfer",
             Lanes::links,
             transfer.link,
             transfer.start_s,
             transfer.end_s}
        );
        event["args"] = {
            {"link", transfer.link},
            {"bytes", transfer.n_bytes},
            {"bytes_per_s", time > 0 ? n_bytes / time : 0}};
        add(event);
    }
}

/// Returns the lane of a part. Each worker has two: parts on a GPU's second stream run beside the
/// others.
std::size_t lane_of(const TraceTask& task, const TraceTaskPart& part) {
    return 2 * task.worker + (part.is_aside ? 1 : 0);
}

void name_part_lanes(const Trace& trace, const EventSink& add) {
    std::set<std::size_t> lanes;
    for (const TraceTask& task : trace.tasks) {
        for (const TraceTaskPart& part : task.parts) {
            if (part.is_timed()) {
                lanes.insert(lane_of(task, part));
            }
        }
    }
    if (!lanes.empty()) {
        add(lanes_name(Lanes::parts, "parts of fused tasks"));
    }
    for (const std::size_t lane : lanes) {
        const char* stream = lane % 2 == 1 ? ", second stream" : "";
        add(lane_name(Lanes::parts, lane, trace.workers[lane / 2].name + stream));
    }
}

void write_parts(const Trace& trace, const EventSink& add) {
    name_part_lanes(trace, add);
    for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
        const TraceTask& task = trace.tasks[i];
        for (const TraceTaskPart& part : task.parts) {
            if (part.is_timed()) {
                const std::size_t lane = lane_of(task, part);
                Json event =
                    event_of({part.name, "part", Lanes::parts, lane, part.start_s, part.end_s});
                event["cname"] = viewer_color(part.color);
                event["args"] = {{"of_task", i}, {"work", part.work}};
                add(event);
            }
        }
    }
}

void write_memory(const Trace& trace, const EventSink& add) {
    for (const TraceMemoryUse& use : trace.memory_uses) {
        add(counter_event(
            "memory of " + trace.memories[use.memory],
            "bytes",
            use.time_s,
            static_cast<double>(use.n_bytes)
        ));
    }
}

} // namespace

Json lane_name(Lanes lanes, std::size_t lane, const std::string& name) {
    return name_event("thread_name", lanes, lane, name);
}

Json lanes_name(Lanes lanes, const std::string& name) {
    return name_event("process_name", lanes, 0, name);
}

Json event_of(const Bar& bar) {
    return {
        {"name", bar.name},
        {"cat", bar.category},
        {"ph", "X"},
        {"pid", static_cast<int>(bar.lanes)},
        {"tid", bar.lane},
        {"ts", us * bar.start_s},
        {"dur", us * (bar.end_s - bar.start_s)}};
}

Json counter_event(const std::string& name, const char* unit, double time_s, double value) {
    return {
        {"name", name},
        {"ph", "C"},
        {"pid", static_cast<int>(Lanes::workers)},
        {"ts", us * time_s},
        {"args", {{unit, value}}}};
}

void write_device_events(const Trace& trace, const EventSink& add) {
    write_parts(trace, add);
    write_transfers(trace, add);
    write_memory(trace, add);
}

} // namespace starfmm
