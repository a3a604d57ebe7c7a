// SPDX-License-Identifier: BSD-3-Clause
// How a core's costs are measured: by the caller, while the others are as busy as in a run.
#pragma once

#include <time.h>

#include <thread>
#include <vector>

namespace starfmm {

/// Seconds on `clock`.
[[nodiscard]] double seconds_on(clockid_t clock);

/// No StarPU worker polls for tasks meanwhile.
class PausedWorkers {
public:
    PausedWorkers();
    PausedWorkers(const PausedWorkers&) = delete;
    PausedWorkers& operator=(const PausedWorkers&) = delete;
    ~PausedWorkers();
};

/// Threads compute meanwhile in place of all CPU workers but one, which is the caller: cores that
/// share units, caches or power are slower together than one of them alone.
class LoadedCores {
public:
    /// \param n_cpu CPU workers whose tasks will be predicted
    /// \throws std::system_error if the system has no more threads
    explicit LoadedCores(int n_cpu);

private:
    PausedWorkers paused_;
    std::vector<std::jthread> others_;
};

} // namespace starfmm
