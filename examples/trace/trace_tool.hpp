// SPDX-License-Identifier: BSD-3-Clause
// What starfmm-trace does with the traces that other drivers wrote.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// Empty names: not asked for.
struct TraceToolOptions {
    std::vector<std::string> files; ///< one to report on, or two to compare
    std::string html;
    std::string text;
    std::string paje;
    std::string graph;
};

/// Empty after --help or --version was printed.
/// \throws InputError naming the option or the word
[[nodiscard]] std::optional<TraceToolOptions> parse_trace_options(int argc, char** argv);

/// Prints the report or the comparison, unless files were asked for, which it writes.
/// \throws InputError naming a file that is no trace; OutputError, WriteError
void run_trace_tool(const TraceToolOptions& options);

} // namespace starfmm
