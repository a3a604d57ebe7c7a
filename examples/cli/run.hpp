// SPDX-License-Identifier: BSD-3-Clause
// What drivers do around their evaluations.
#pragma once

#include "examples/cli/progress.hpp"
#include "examples/cli/report.hpp"
#include "examples/cli/signals.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <functional>
#include <optional>
#include <string>

namespace starfmm {

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
