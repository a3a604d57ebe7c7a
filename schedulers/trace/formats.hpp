// SPDX-License-Identifier: BSD-3-Clause
// The formats that a trace is written in.
#pragma once

#include "schedulers/trace/model.hpp"

#include <string>

namespace starfmm {

enum class TraceFormat {
    json, ///< for Perfetto, chrome://tracing, and read_trace()
    html, ///< a report to read in a browser, one file
    text, ///< a report to read in a terminal
    paje  ///< for ViTE, pajeng and StarVZ
};

/// By the suffix of `path`; json without one, as devices and pipes are.
/// \param option that the name was given to, for the message
/// \throws InputError for other suffixes
[[nodiscard]] TraceFormat trace_format_of(const std::string& option, const std::string& path);

/// \throws OutputError naming `path`, WriteError
void write_trace_file(const std::string& path, TraceFormat format, const Trace& trace);

} // namespace starfmm
