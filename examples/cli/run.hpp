// SPDX-License-Identifier: BSD-3-Clause
// What drivers do around their evaluations, and at signals that end them: no temporary file stays,
// and a long run may save itself first.
#pragma once

#include "examples/cli/progress.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <functional>
#include <optional>
#include <string>

namespace starfmm {

/// From now on SIGINT, SIGTERM and SIGHUP remove temporary files before they end the process by the
/// signal, as shells and job schedulers expect. Those that the parent had ignored stay ignored.
void clean_up_on_signals();

/// While one lives, the first of these signals is only noted; the second ends the process. For a
/// process in which clean_up_on_signals() was called; one at a time.
class StopRequest {
public:
    StopRequest();
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;
    ~StopRequest();

    /// The number of the signal noted last; 0 without one.
    [[nodiscard]] static int signal();
};

/// "SIGTERM".
[[nodiscard]] const char* name_of_signal(int signal);

/// Seconds of an evaluation, and of those for the tree and its lists.
struct Seconds {
    double total = 0;
    double topology = 0;
};

/// Says who ran the tasks.
void describe(const Runtime& runtime, RunReport& report);

/// Evaluations, repeated and timed. Where a trace is asked for, a signal ends them after the one at
/// hand, the trace is written, and the process ends by the signal; a second one ends it at once.
class Run {
public:
    /// \param report has its driver and options, and is filled in; it outlives this
    Run(RunReport& report, Runtime& runtime);

    void tell(const std::string& text) { progress_.tell(text); }

    /// Evaluates `warmup + repeat` times.
    void repeat(const std::function<Seconds()>& evaluate);

    /// Describes the last evaluation and writes the trace.
    /// \throws OutputError naming a file, WriteError
    void end();

private:
    RunReport& report_;
    Runtime& runtime_;
    Progress progress_;
    std::optional<StopRequest> request_;
};

} // namespace starfmm
