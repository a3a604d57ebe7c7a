// SPDX-License-Identifier: BSD-3-Clause
// A trace is written in one of these formats.
#pragma once

#include "schedulers/trace/model.hpp"

#include <string>

namespace starfmm {

enum class TraceFormat {
    json, ///< trace for Perfetto, chrome://tracing, and read_trace()
    html, ///< report to read in a browser, one file
    text  ///< report to read in a terminal
};

/// Chooses the format by the suffix of `path`; json without a suffix, as devices and pipes have
/// none.
/// \param option option that the name was given to, for the message
/// \throws InputError for other suffixes
[[nodiscard]] TraceFormat trace_format_of(const std::string& option, const std::string& path);

/// Writes the trace in the format.
/// \throws OutputError naming `path`, WriteError
void write_trace_file(const std::string& path, TraceFormat format, const Trace& trace);

} // namespace starfmm
