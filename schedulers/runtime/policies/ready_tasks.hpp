// SPDX-License-Identifier: BSD-3-Clause
// Which ready task a worker takes next: what the policy `starfmm` decides, without a runtime.
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

/// Workers that share a memory.
enum class PlaceKind {
    cores, ///< all of them, each with a cache of its own
    device ///< a GPU, or another device, whose workers run one task after the other
};

/// Seconds of a task at one place.
struct PlaceTime {
    double run = std::numeric_limits<double>::infinity(); ///< infinite: cannot run there
    double fetch = 0;                                     ///< until its data are there

    [[nodiscard]] double total() const { return run + fetch; }
};

struct ReadyTask {
    static constexpr std::uint64_t no_group = std::numeric_limits<std::uint64_t>::max();

    starpu_task* task = nullptr; ///< a name: nobody looks into it
    int priority = 0;            ///< the greater, the sooner
    std::uint64_t group = no_group;
    int part_place = -1;          ///< place that its part of the problem belongs to; -1: to none
    std::vector<PlaceTime> times; ///< [places]
    std::vector<int> only{};      ///< workers that may run it; empty: all at those places
};

/// Ready tasks, each at the place that runs it fastest, where it waits in the order of priorities
/// and, of one priority, of what the place gains on others. A worker takes the first task of its
/// own place; a core prefers, of one priority, tasks of groups that it had before. Who finds none
/// takes from the end of another place's, but only what would end no later than there.
///
/// Where a place takes longer than predicted, or less, what follows is expected to do so, too.
///
/// Each task is taken: the workers of its place take it at the latest when they have nothing else.
/// Times are in seconds. Not thread-safe.
class ReadyTasks {
public:
    explicit ReadyTasks(const std::vector<PlaceKind>& places);

    /// A worker at that place from here on; -1: it leaves.
    void set_worker(int worker, int place);

    /// Place that a task will wait at, if nothing else is expected to run it: its data may go
    /// there.
    [[nodiscard]] std::optional<int> settled_place(const ReadyTask& task, double now) const;

    /// \param released_by worker that ran what the task waited for; -1: none of them
    void push(ReadyTask task, int released_by, double now);

    /// The task that `worker` is to run next, which counts as its own until it has ended.
    /// \returns null if there is none for it, until other tasks are pushed
    [[nodiscard]] starpu_task* pop(int worker, double now);

    /// \param task one that was popped; of no effect for others
    void ended(int worker, const starpu_task* task, double now);

    /// Tasks that were not yet popped.
    [[nodiscard]] std::size_t size() const;

private:
    struct Entry {
        ReadyTask task;
        double gain;          ///< seconds elsewhere over seconds here
        std::uint64_t number; ///< in the order of arrival
        int core;             ///< that has its group; -1: none
    };

    struct Before {
        bool operator()(const Entry& a, const Entry& b) const;
    };

    using Queue = std::set<Entry, Before>;

    struct Place {
        PlaceKind kind;
        double queued_s = 0; ///< predicted, sum over the queue
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
