// SPDX-License-Identifier: BSD-3-Clause
// What workers did all the time, and why they did nothing when they did.
#pragma once

#include "schedulers/trace/model.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace starfmm {

/// Why a worker does nothing.
enum class IdleCause {
    submission,   ///< nothing that was submitted waits: the caller is late
    dependencies, ///< what was submitted waits for tasks that run elsewhere
    elsewhere,    ///< tasks that it could run are ready, and others will run them
    scheduling,   ///< its next task is ready, and is not begun
    transfer,     ///< its next task waits for data
    tail,         ///< all that it could run is begun, until the end of the run
    count
};

inline constexpr auto n_idle_causes = static_cast<std::size_t>(IdleCause::count);

/// As reports name it, and what that means.
[[nodiscard]] const char* name_of(IdleCause cause);
[[nodiscard]] const char* meaning_of(IdleCause cause);

/// Of one worker, in seconds. Busy and idle times add up to the makespan.
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
    std::size_t task = 0; ///< index
    double first_s = 0;   ///< until the task's start
    std::array<double, n_idle_causes> idle_s{};
};

struct WorkerUses {
    std::vector<WorkerUse> workers; ///< [workers]
    std::vector<Gap> gaps;          ///< by worker, then by time; none after the last task
};

/// Time that each task had its worker for itself: where tasks overlap, as on a GPU that is given
/// the next task before one ends, a task counts from the end of the one before it. O(n log n).
/// \returns [tasks], in seconds
[[nodiscard]] std::vector<double> durations_of(const Trace& trace);

/// What each worker did. A worker could run what another one of its kind has run. O(n log n).
[[nodiscard]] WorkerUses worker_uses_of(const Trace& trace);

} // namespace starfmm
