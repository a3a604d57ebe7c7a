// SPDX-License-Identifier: BSD-3-Clause
// The text report shows a trace in words and tables, for a terminal.
#pragma once

#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/model.hpp"

#include <string>

namespace starfmm {

/// Writes the bound, the workers with their idle times by cause, the operators with their rates on
/// each worker, the critical path, the predictions, and advice.
[[nodiscard]] std::string text_report(const Trace& trace, const TraceAnalysis& analysis);

} // namespace starfmm
