// SPDX-License-Identifier: BSD-3-Clause
// Who works where, for how long yet, and how that compares with what was predicted.
#pragma once

#include <cstddef>
#include <vector>

struct starpu_task;

namespace starfmm {

/// Workers of several places. Times are in seconds. Not thread-safe.
class BusyWorkers {
public:
    explicit BusyWorkers(std::size_t n_places) : places_(n_places) {}

    /// A worker at that place from here on; -1: it leaves.
    void set_place(int worker, int place);

    /// -1 for a worker that left, or never came.
    [[nodiscard]] int place_of(int worker) const;

    [[nodiscard]] int n_at(std::size_t place) const { return places_[place].n_workers; }

    /// A worker has taken a task; what it took before is done first.
    /// \param seconds predicted
    void took(int worker, const starpu_task* task, double seconds, double now);

    /// Of no effect for what the worker did not take.
    void ended(int worker, const starpu_task* task, double now);

    /// As predicted, until a worker has done what it took.
    [[nodiscard]] double left_s(int worker, double now) const;

    /// Sum over the workers there.
    [[nodiscard]] double busy_s(std::size_t place, double now) const;

    /// Seconds that tasks took over those predicted, of late; 1 while there were few.
    [[nodiscard]] double slowness(std::size_t place) const;

private:
    struct Running {
        const starpu_task* task;
        double seconds;
    };

    struct Worker {
        int place = -1;
        double since = 0; ///< when the first of them began
        std::vector<Running> running{};
    };

    struct Place {
        int n_workers = 0;
        int n_ended = 0;        ///< tasks
        double taken_s = 0;     ///< by the last of them
        double predicted_s = 0; ///< of the same
    };

    std::vector<Worker> workers_;
    std::vector<Place> places_;
};

} // namespace starfmm
