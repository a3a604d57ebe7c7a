// SPDX-License-Identifier: BSD-3-Clause
// This header decides which ready task a worker takes next, for the policy `starfmm`, without a
// runtime.
#pragma once

#include "schedulers/runtime/policies/busy_workers.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

struct starpu_task;

namespace starfmm {

/// Kinds of places; a place is the set of all workers that share a memory.
enum class PlaceKind {
    cores, ///< all cores, each with a cache of its own
    device ///< a GPU, or another device, whose workers run one task after the other
};

/// Seconds that a task takes at one place.
struct PlaceTime {
    double run = std::numeric_limits<double>::infinity(); ///< infinite where the task cannot run
    double fetch = 0;                                     ///< until the task's data are there

    [[nodiscard]] double total() const { return run + fetch; }
};

struct ReadyTask {
    static constexpr std::uint64_t no_group = std::numeric_limits<std::uint64_t>::max();

    starpu_task* task = nullptr; ///< a name only: nobody dereferences it
    int priority = 0;            ///< tasks of greater priority run sooner
    std::uint64_t group = no_group;
    int part_place = -1;          ///< place that this part of the problem belongs to; -1: none
    std::vector<PlaceTime> times; ///< [places] times of the task at each place
    std::vector<int> only{};      ///< workers that may run the task; empty: all at those places
};

/// Ready tasks, each queued at the place that runs it fastest. A queue is ordered by priority, and
/// within one priority by what the place gains over other places. A worker takes the first task of
/// its own place; within one priority, a core prefers tasks of groups that it had before. A worker
/// that finds none takes from the end of another place's queue, but only a task that would end no
/// later than there.
///
/// Where a place takes longer or less than predicted, later tasks are expected to do so, too.
///
/// No task is left behind: the workers of its place take it at the latest when they have nothing
/// else. Times are in seconds. Not thread-safe.
class ReadyTasks {
public:
    explicit ReadyTasks(const std::vector<PlaceKind>& places);

    /// Puts a worker at a place from now on; -1 means that the worker leaves.
    void set_worker(int worker, int place);

    /// The place that a task will wait at, if no other place is expected to run the task: its data
    /// may go there ahead of time.
    [[nodiscard]] std::optional<int> settled_place(const ReadyTask& task, double now) const;

    /// Queues a task that is ready.
    /// \param released_by worker that ran the last predecessor of the task; -1: none of the workers
    void push(ReadyTask task, int released_by, double now);

    /// Returns the task that `worker` is to run next, which counts as its own until the task has
    /// ended.
    /// \returns null if there is no task for the worker until other tasks are pushed
    [[nodiscard]] starpu_task* pop(int worker, double now);

    /// Notes that a task has ended.
    /// \param task one that was popped; the call has no effect for others
    void ended(int worker, const starpu_task* task, double now);

    /// Number of tasks that were not yet popped.
    [[nodiscard]] std::size_t size() const;

private:
    struct Entry {
        ReadyTask task;
        double gain;          ///< ratio of seconds elsewhere to seconds here
        std::uint64_t number; ///< place in the order of arrival
        int core;             ///< core that has the task's group; -1: none
    };

    struct Before {
        bool operator()(const Entry& a, const Entry& b) const;
    };

    using Queue = std::set<Entry, Before>;

    struct Place {
        PlaceKind kind;
        double queued_s = 0; ///< predicted seconds, summed over the queue
        Queue queue{};
    };

    /// A task in a queue.
    struct Found {
        std::size_t place;
        Queue::iterator entry;
    };

    [[nodiscard]] std::size_t place_of(int worker) const;
    [[nodiscard]] int home_of(const ReadyTask& task, double now) const;
    [[nodiscard]] int core_of(const ReadyTask& task, int released_by) const;
    [[nodiscard]] double gain_of(const ReadyTask& task, std::size_t place) const;
    [[nodiscard]] double seconds_at(const ReadyTask& task, std::size_t place) const;
    [[nodiscard]] double waits_s(std::size_t place, double now) const;
    [[nodiscard]] bool can_run(const ReadyTask& task, std::size_t place) const;
    [[nodiscard]] std::optional<Found> own_task(int worker) const;
    [[nodiscard]] std::optional<Found> foreign_task(int worker, double now) const;
    [[nodiscard]] std::optional<Found>
    last_that_pays(int worker, std::size_t from, double now) const;
    [[nodiscard]] bool may_run(int worker, const ReadyTask& task) const;
    void place_anew();
    starpu_task* take(Found found, int worker, double now);

    std::vector<Place> places_;
    BusyWorkers workers_;
    std::unordered_map<std::uint64_t, int> core_of_group_;
    std::uint64_t n_pushed_ = 0;
};

} // namespace starfmm
