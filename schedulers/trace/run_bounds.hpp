// SPDX-License-Identifier: BSD-3-Clause
// Bounds say how fast a run's tasks could have been done, at best.
#pragma once

#include "schedulers/trace/model.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace starfmm {

/// The chain of tasks that waited for each other with the longest duration.
struct CriticalPath {
    double length_s = 0;            ///< sum of the tasks' durations
    std::vector<std::size_t> tasks; ///< tasks in the order of the chain
};

/// Finds the critical path. O(tasks + dependencies).
/// \param durations [tasks] in seconds
[[nodiscard]] CriticalPath critical_path_of(const Trace& trace, std::span<const double> durations);

/// Returns the seconds that all workers take together if nobody ever waits, and if each operator is
/// shared out, however finely, among workers of the kinds that ran it, each kind at its measured
/// rate. O(tasks + operators log operators).
/// \param durations [tasks] in seconds
[[nodiscard]] double area_bound_of(const Trace& trace, std::span<const double> durations);

} // namespace starfmm
