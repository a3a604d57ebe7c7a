// SPDX-License-Identifier: BSD-3-Clause
// Traces in the Trace Event Format, which Perfetto and chrome://tracing open, and back.
#pragma once

#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/model.hpp"

#include <string>

namespace starfmm {

/// What tells traces of this library from other JSON files.
inline constexpr const char* trace_format_name = "starfmm trace";

/// Counts changes that earlier readers cannot read.
inline constexpr int trace_format_version = 1;

/// A lane a worker with its tasks in the colours of their operators, a lane a worker with the times
/// in which it waited for data, a lane a stream with the parts of fused tasks, a lane a memory link
/// with its transfers, an arrow a dependency, and counters of ready tasks and of the memory that is
/// held of each device. The file
/// holds all of the trace, so that read_trace() gives it back. O(tasks + dependencies), in little
/// memory.
/// \throws OutputError naming `path`, WriteError
void write_perfetto(const std::string& path, const Trace& trace, const TraceAnalysis& analysis);

/// \param path of a file of write_perfetto()
/// \throws InputError naming `path` if it cannot be read, is damaged, cut off, or another program's
[[nodiscard]] Trace read_trace(const std::string& path);

} // namespace starfmm
