// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/trace.hpp"

#include "schedulers/trace/formats.hpp"

#include <algorithm>

namespace starfmm {

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
        phase->predicted_s += record.details.predicted_s;
        phase->work += record.work;
    }
    return phases;
}

void check_trace_file_name(const std::string& option, const std::string& path) {
    static_cast<void>(trace_format_of(option, path));
}

void write_trace(const std::string& path, const Runtime& runtime) {
    const TraceFormat format = trace_format_of("trace", path);
    write_trace_file(path, format, trace_of(runtime));
}

} // namespace starfmm
