// SPDX-License-Identifier: BSD-3-Clause
// The tool starfmm-trace reads the traces that other drivers wrote.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// Values of the options. An empty file name means that the file is not asked for.
struct TraceToolOptions {
    std::vector<std::string> files; ///< one trace to report on, or two to compare
    std::string html;
    std::string text;
};

/// Reads the command line. Empty after --help or --version was printed.
/// \throws InputError naming the option or the word
[[nodiscard]] std::optional<TraceToolOptions> parse_trace_options(int argc, char** argv);

/// Prints the report or the comparison, or writes the files if any were asked for.
/// \throws InputError naming a file that is no trace; OutputError, WriteError
void run_trace_tool(const TraceToolOptions& options);

} // namespace starfmm
