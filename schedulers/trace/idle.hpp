// SPDX-License-Identifier: BSD-3-Clause
// Idle times say what workers did all the time, and why they did nothing when they did.
#pragma once

#include "schedulers/trace/model.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace starfmm {

/// Why a worker does nothing.
enum class IdleCause {
    submission,   ///< no submitted task waits: the caller is late
    dependencies, ///< submitted tasks wait for tasks that run elsewhere
    elsewhere,    ///< tasks that the worker could run are ready, and others will run them
    scheduling,   ///< the worker's next task is ready and not begun
    transfer,     ///< the worker's next task waits for data
    tail,         ///< all that the worker could run is begun, until the end of the run
    count
};

inline constexpr auto n_idle_causes = static_cast<std::size_t>(IdleCause::count);

/// Name of a cause in reports; meaning_of() explains it.
[[nodiscard]] const char* name_of(IdleCause cause);
[[nodiscard]] const char* meaning_of(IdleCause cause);

/// Use of one worker's time, in seconds. Busy and idle times add up to the makespan.
struct WorkerUse {
    std::size_t tasks = 0;
    double busy_s = 0;
    std::array<double, n_idle_causes> idle_s{};

    [[nodiscard]] double idle(IdleCause cause) const {
        return idle_s[static_cast<std::size_t>(cause)];
    }

    [[nodiscard]] double total_idle() const;
};

/// Time in which a worker did nothing before a task.
struct Gap {
    std::size_t task = 0; ///< index of the task
    double first_s = 0;   ///< start of the gap, which ends at the task's start
    std::array<double, n_idle_causes> idle_s{};
};

struct WorkerUses {
    std::vector<WorkerUse> workers; ///< [workers]
    std::vector<Gap> gaps;          ///< gaps by worker, then by time; none after the last task
};

/// Time that each task had its worker for itself. Where tasks overlap, as on a GPU that is given
/// the next task before one ends, a task counts from the end of the task before. O(n log n).
/// \returns [tasks], in seconds
[[nodiscard]] std::vector<double> durations_of(const Trace& trace);

/// Finds what each worker did. A worker could run what another one of its kind has run. O(n log n).
[[nodiscard]] WorkerUses worker_uses_of(const Trace& trace);

} // namespace starfmm
