// SPDX-License-Identifier: BSD-3-Clause
// A trace says what ran where and when: in a table by operator, and in files that explain it.
#pragma once

#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// Sums over all tasks of one operator.
struct Phase {
    std::string name;  ///< name without the "starfmm_" of its tasks
    double time_s = 0; ///< execution times summed over workers
    std::size_t tasks = 0;
    /// Seconds that they were predicted to take on their workers; 0: no runtime.
    double predicted_s = 0;
    double work = 0; ///< pairs, shifts times order squared, or points
};

/// Sums the phases, in order of their first task. O(records).
[[nodiscard]] std::vector<Phase> phases_of(const std::vector<TaskRecord>& records);

/// Checks the name of a trace's file.
/// \param option option that the name was given to, for the message
/// \throws InputError unless write_trace() knows the suffix of `path`
void check_trace_file_name(const std::string& option, const std::string& path);

/// Writes the runtime's records, which tell why workers waited only with Runtime::record_details().
/// \param path file name, whose suffix chooses the format: `.json`, or none, for Perfetto and
/// starfmm-trace; `.html` and `.txt` for reports to read
/// \throws InputError for another suffix; OutputError naming `path`, WriteError
void write_trace(const std::string& path, const Runtime& runtime);

} // namespace starfmm
