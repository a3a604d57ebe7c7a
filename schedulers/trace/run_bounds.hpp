// SPDX-License-Identifier: BSD-3-Clause
// How fast a run's tasks could have been done, at best.
#pragma once

#include "schedulers/trace/model.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace starfmm {

/// Tasks that waited for each other, the chain of the longest duration.
struct CriticalPath {
    double length_s = 0;            ///< sum of their durations
    std::vector<std::size_t> tasks; ///< in their order
};

/// O(tasks + dependencies).
/// \param durations [tasks] in seconds
[[nodiscard]] CriticalPath critical_path_of(const Trace& trace, std::span<const double> durations);

/// Time that all workers take together if nobody ever waits, and if each operator is shared out,
/// however finely, among workers of the kinds that ran it, each kind at the rate at which it did.
/// O(tasks + operators log operators).
/// \param durations [tasks] in seconds
/// \returns seconds
[[nodiscard]] double area_bound_of(const Trace& trace, std::span<const double> durations);

} // namespace starfmm
