// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/traced_run.hpp"

#include "schedulers/trace/trace.hpp"

#include <signal.h>

#include <utility>

namespace starfmm {

TracedRun::TracedRun(std::string trace) : trace_(std::move(trace)) {
    if (!trace_.empty()) {
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
    write_trace(trace_, runtime);
    const int signal = StopRequest::signal();
    request_.reset();
    if (signal != 0) {
        static_cast<void>(::raise(signal));
    }
}

} // namespace starfmm
