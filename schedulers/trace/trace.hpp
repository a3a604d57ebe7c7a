// SPDX-License-Identifier: BSD-3-Clause
// What ran where and when: a table by operator, and a file that Perfetto and chrome://tracing open.
#pragma once

#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// All tasks of one operator.
struct Phase {
    std::string name;  ///< without the "starfmm_" of its tasks
    double time_s = 0; ///< execution times summed over workers
    std::size_t tasks = 0;
    double work = 0; ///< pairs, shifts times order squared, or points
};

/// Phases in order of their first task. O(records).
[[nodiscard]] std::vector<Phase> phases_of(const std::vector<TaskRecord>& records);

/// Writes the runtime's records in the Trace Event Format: a lane a worker, tasks in the colours of
/// their codelets, bytes moved between memories as metadata.
/// \throws OutputError naming `path`
void write_trace(const std::string& path, const Runtime& runtime);

} // namespace starfmm
