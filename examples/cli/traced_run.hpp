// SPDX-License-Identifier: BSD-3-Clause
// What drivers do for --trace.
#pragma once

#include "examples/cli/signals.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <optional>
#include <string>

namespace starfmm {

/// A run whose trace is asked for, or not: then nothing of this happens. After a signal the
/// evaluation at hand ends, the trace is written, and the process ends by the signal; a second one
/// ends it at once.
class TracedRun {
public:
    /// \param trace name of a file; empty: not asked for
    explicit TracedRun(std::string trace);

    /// Has the runtime record, before the first evaluation.
    void begin(Runtime& runtime) const;

    /// Whether a signal asks that no further evaluation begin.
    [[nodiscard]] bool must_stop() const { return request_ && StopRequest::signal() != 0; }

    /// Writes the files, after the last evaluation.
    /// \throws OutputError naming a file, WriteError
    void end(const Runtime& runtime);

private:
    std::string trace_;
    std::optional<StopRequest> request_;
};

} // namespace starfmm
