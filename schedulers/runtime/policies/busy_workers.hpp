// SPDX-License-Identifier: BSD-3-Clause
// This header keeps who works where, for how much longer, and how that compares with predictions.
#pragma once

#include <cstddef>
#include <vector>

struct starpu_task;

namespace starfmm {

/// The workers of several places and what they run. Times are in seconds. Not thread-safe.
class BusyWorkers {
public:
    explicit BusyWorkers(std::size_t n_places) : places_(n_places) {}

    /// Puts a worker at a place from now on; -1 means that the worker leaves.
    void set_place(int worker, int place);

    /// Returns the worker's place, or -1 if the worker left or never came.
    [[nodiscard]] int place_of(int worker) const;

    [[nodiscard]] int n_at(std::size_t place) const { return places_[place].n_workers; }

    /// Notes that a worker has taken a task; the worker finishes earlier tasks first.
    /// \param seconds predicted duration of the task
    void took(int worker, const starpu_task* task, double seconds, double now);

    /// Notes that a task has ended. The call has no effect for a task that the worker did not take.
    void ended(int worker, const starpu_task* task, double now);

    /// Predicted seconds until the worker has done what it took.
    [[nodiscard]] double left_s(int worker, double now) const;

    /// Predicted seconds of work left, summed over the workers at the place.
    [[nodiscard]] double busy_s(std::size_t place, double now) const;

    /// Ratio of the seconds that recent tasks took to those predicted; 1 while few tasks have
    /// ended.
    [[nodiscard]] double slowness(std::size_t place) const;

private:
    struct Running {
        const starpu_task* task;
        double seconds;
    };

    struct Worker {
        int place = -1;
        double since = 0; ///< when the first of `running` began
        std::vector<Running> running{};
    };

    struct Place {
        int n_workers = 0;
        int n_ended = 0;        ///< tasks that ended here
        double taken_s = 0;     ///< seconds that the last of them took
        double predicted_s = 0; ///< seconds predicted for the same tasks
    };

    std::vector<Worker> workers_;
    std::vector<Place> places_;
};

} // namespace starfmm
