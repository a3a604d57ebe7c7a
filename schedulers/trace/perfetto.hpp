// SPDX-License-Identifier: BSD-3-Clause
// Perfetto and chrome://tracing open the Trace Event Format, in which traces are written and read
// here.
#pragma once

#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/model.hpp"

#include <string>

namespace starfmm {

/// Name by which traces of this library differ from other JSON files.
inline constexpr const char* trace_format_name = "starfmm trace";

/// Counts changes that earlier readers cannot read.
inline constexpr int trace_format_version = 1;

/// Writes a trace for the viewer. Each worker has a lane with its tasks in the colours of their
/// operators, and a lane with the times in which it waited for data. Each stream has a lane with
/// the parts of fused tasks, each memory link a lane with its transfers, each dependency an arrow.
/// Counters show ready tasks and the memory that is held of each device. The file holds all of the
/// trace, so that read_trace() gives it back. O(tasks + dependencies), in little memory.
/// \throws OutputError naming `path`, WriteError
void write_perfetto(const std::string& path, const Trace& trace, const TraceAnalysis& analysis);

/// Reads a trace back.
/// \param path name of a file of write_perfetto()
/// \throws InputError naming `path` if it cannot be read, is damaged, cut off, or another program's
[[nodiscard]] Trace read_trace(const std::string& path);

} // namespace starfmm
