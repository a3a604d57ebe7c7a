// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/model.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace starfmm {

namespace {

/// Turns records into tasks, one after the other.
class TraceMaker {
public:
    explicit TraceMaker(const TaskRecords& records) {
        for (const TaskRecord& record : records) {
            origin_ = std::min(origin_, record.start_s);
        }
    }

    void add(const TaskRecord& record, Trace& trace) {
        const TaskDetails& details = record.details;
        TraceTask task;
        task.op = operator_of(*record.codelet, trace);
        task.worker = static_cast<std::size_t>(record.worker);
        task.start_s = record.start_s - origin_;
        task.end_s = record.end_s - origin_;
        task.work = record.work;
        task.level = details.level;
        task.group = details.group;
        task.implementation = details.implementation;
        task.predicted_s = details.predicted_s;
        add_times(details, task);
        for (const std::size_t id : details.after) {
            if (const auto found = index_.find(id); found != index_.end()) { // not cleared
                task.after.push_back(found->second);
            }
        }
        for (const TaskPart& part : details.parts) {
            task.parts.push_back({short_name(*part.codelet), part.work});
        }
        index_.emplace(details.id, trace.tasks.size());
        trace.tasks.push_back(std::move(task));
    }

private:
    /// What is not known did not take any time.
    void add_times(const TaskDetails& details, TraceTask& task) const {
        const auto or_else = [this](double time, double otherwise) {
            return time > 0 ? std::min(time - origin_, otherwise) : otherwise;
        };
        task.fetched_s = or_else(details.fetched_s, task.start_s);
        task.fetch_s = or_else(details.fetch_s, task.fetched_s);
        task.ready_s = or_else(details.ready_s, task.fetch_s);
        task.submit_s = or_else(details.submit_s, task.ready_s);
    }

    static std::size_t operator_of(const Codelet& codelet, Trace& trace) {
        const std::string name = short_name(codelet);
        const auto found = std::ranges::find(trace.operators, name, &TraceOperator::name);
        const auto index = static_cast<std::size_t>(found - trace.operators.begin());
        if (found == trace.operators.end()) {
            trace.operators.push_back({name, codelet.color()});
        }
        return index;
    }

    double origin_ = std::numeric_limits<double>::max();
    std::unordered_map<std::size_t, std::size_t> index_; ///< of a task by its id
};

} // namespace

std::string short_name(const Codelet& codelet) {
    constexpr std::string_view prefix = "starfmm_";
    const std::string& name = codelet.name();
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

Trace trace_of(const Runtime& runtime) {
    Trace trace;
    trace.scheduler = runtime.policy();
    trace.transferred_bytes = runtime.transferred_bytes();
    for (const WorkerInfo& info : runtime.workers()) {
        trace.workers.push_back({info.name, info.is_cuda});
    }
    TraceMaker maker(runtime.records());
    for (const TaskRecord& record : runtime.records()) {
        maker.add(record, trace);
    }
    return trace;
}

double makespan_of(const Trace& trace) {
    double end = 0;
    for (const TraceTask& task : trace.tasks) {
        end = std::max(end, task.end_s);
    }
    return end;
}

} // namespace starfmm
