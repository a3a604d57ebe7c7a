// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/traced_run.hpp"

#include "schedulers/trace/task_graph.hpp"
#include "schedulers/trace/trace.hpp"

#include <signal.h>

#include <utility>

namespace starfmm {

TracedRun::TracedRun(std::string trace, std::string graph)
    : trace_(std::move(trace)), graph_(std::move(graph)) {
    if (!trace_.empty() || !graph_.empty()) {
        request_.emplace();
    }
}

void TracedRun::begin(Runtime& runtime) const {
    if (request_) {
        runtime.record_details();
    }
}

void TracedRun::end(const Runtime& runtime) {
    if (!request_) {
        return;
    }
    if (!trace_.empty()) {
        write_trace(trace_, runtime);
    }
    if (!graph_.empty()) {
        write_graph(graph_, trace_of(runtime));
    }
    const int signal = StopRequest::signal();
    request_.reset();
    if (signal != 0) {
        static_cast<void>(::raise(signal));
    }
}

} // namespace starfmm
