// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/model.hpp"

#include "schedulers/runtime/machine.hpp"
#include "schedulers/trace/floors/operator_floors.hpp"

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
    TraceMaker(const TaskRecords& records, const std::vector<Transfer>& transfers) {
        for (const TaskRecord& record : records) {
            origin_ = std::min(origin_, record.start_s);
        }
        for (const Transfer& transfer : transfers) {
            origin_ = std::min(origin_, transfer.start_s);
        }
    }

    void add(const TaskRecord& record, Trace& trace) {
        const TaskDetails& details = record.details;
        TraceTask task;
        task.op = operator_of(record, trace);
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
            // the task was not cleared
            if (const auto found = index_.find(id); found != index_.end()) {
                task.after.push_back(found->second);
            }
        }
        for (const TaskPart& part : details.parts) {
            task.parts.push_back(part_of(part, task));
        }
        index_.emplace(details.id, trace.tasks.size());
        trace.tasks.push_back(std::move(task));
    }

    /// Returns seconds since the start.
    /// \param time time on the records' clock
    [[nodiscard]] double since_start(double time) const { return time - origin_; }

private:
    /// Makes a part. Two clocks agree to some microseconds only: the part is kept within its task.
    [[nodiscard]] TraceTaskPart part_of(const TaskPart& part, const TraceTask& task) const {
        TraceTaskPart made{short_name(*part.codelet), part.work, part.codelet->color()};
        if (part.time.end_s > part.time.start_s) {
            made.start_s = std::clamp(since_start(part.time.start_s), task.start_s, task.end_s);
            made.end_s = std::clamp(since_start(part.time.end_s), task.start_s, task.end_s);
            made.is_aside = part.time.stream == Stream::aside;
        }
        return made;
    }

    /// Adds the task's times; a step that is not known takes no time.
    void add_times(const TaskDetails& details, TraceTask& task) const {
        const auto or_else = [this](double time, double otherwise) {
            return time > 0 ? std::min(time - origin_, otherwise) : otherwise;
        };
        task.fetched_s = or_else(details.fetched_s, task.start_s);
        task.fetch_s = or_else(details.fetch_s, task.fetched_s);
        task.ready_s = or_else(details.ready_s, task.fetch_s);
        task.submit_s = or_else(details.submit_s, task.ready_s);
    }

    static std::size_t operator_of(const TaskRecord& record, Trace& trace) {
        const std::string name = short_name(*record.codelet);
        const auto found = std::ranges::find(trace.operators, name, &TraceOperator::name);
        const auto index = static_cast<std::size_t>(found - trace.operators.begin());
        if (found == trace.operators.end()) {
            trace.operators.push_back({name, record.codelet->color(), variant_of(record)});
        }
        return index;
    }

    /// Returns the variant from the performance model's symbol, which names the codelet first.
    static std::string variant_of(const TaskRecord& record) {
        const std::string& symbol = record.details.symbol;
        const std::string prefix = record.codelet->name() + "_";
        return symbol.starts_with(prefix) ? symbol.substr(prefix.size()) : std::string();
    }

    double origin_ = std::numeric_limits<double>::max();
    std::unordered_map<std::size_t, std::size_t> index_; ///< index of a task by its id
};

/// Returns the index of a name among others, and appends the name if it is new.
std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
        names.push_back(name);
    }
    return index;
}

/// Adds the transfers. A link copies one array after the other: of copies that were asked for at
/// once, the later one begins when the earlier one has ended.
void add_transfers(const std::vector<Transfer>& transfers, const TraceMaker& maker, Trace& trace) {
    std::vector<double> free_from; // [links]
    for (const Transfer& transfer : transfers) {
        const std::size_t link =
            index_of(trace.links, memory_name(transfer.from) + " -> " + memory_name(transfer.to));
        free_from.resize(trace.links.size());
        const double end = std::max(maker.since_start(transfer.end_s), free_from[link]);
        const double start = std::clamp(maker.since_start(transfer.start_s), free_from[link], end);
        trace.transfers.push_back({link, transfer.n_bytes, start, end});
        trace.transferred_bytes += transfer.n_bytes;
        free_from[link] = end;
    }
}

void add_memory_uses(const Runtime& runtime, const TraceMaker& maker, Trace& trace) {
    for (const MemoryUse& use : runtime.memory_uses()) {
        const std::size_t memory = index_of(trace.memories, memory_name(use.memory));
        const double time = std::max(0.0, maker.since_start(use.time_s));
        trace.memory_uses.push_back({memory, time, use.n_bytes});
    }
}

} // namespace

std::string short_name(const Codelet& codelet) {
    constexpr std::string_view prefix = "starfmm_";
    const std::string& name = codelet.name();
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

Trace trace_of(const Runtime& runtime) {
    Trace trace;
    trace.scheduler = runtime.policy();
    const std::string core = core_name();
    for (const WorkerInfo& info : runtime.workers()) {
        trace.workers.push_back({info.name, info.is_cuda, unit_of(info.name, core)});
    }
    const std::vector<Transfer> transfers = runtime.transfers();
    TraceMaker maker(runtime.records(), transfers);
    for (const TaskRecord& record : runtime.records()) {
        maker.add(record, trace);
    }
    trace.has_transfers = runtime.records_transfers();
    if (!trace.tasks.empty()) { // without tasks, there is no time to count from
        add_transfers(transfers, maker, trace);
        add_memory_uses(runtime, maker, trace);
    }
    return trace;
}

} // namespace starfmm
