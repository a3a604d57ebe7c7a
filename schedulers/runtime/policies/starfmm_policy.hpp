// SPDX-License-Identifier: BSD-3-Clause
// The policy `starfmm` hands StarPU's tasks and workers to ReadyTasks.
#pragma once

#include "schedulers/runtime/policies/brief_mutex.hpp"
#include "schedulers/runtime/policies/policy_type.hpp"
#include "schedulers/runtime/policies/ready_tasks.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace starfmm {

/// The scheduling policy `starfmm`; docs/policies.md says what it knows of tasks.
class StarfmmPolicy {
public:
    static constexpr const char* name = "starfmm";
    static constexpr bool sends_data = true;

    StarfmmPolicy();

    void push(starpu_task& task);
    starpu_task* pop(int worker);
    void ended(starpu_task& task);
    void add_workers(std::span<const int> workers);
    void remove_workers(std::span<const int> workers);

private:
    [[nodiscard]] ReadyTask describe(starpu_task& task) const;
    [[nodiscard]] int able_worker(std::size_t place, starpu_task& task) const;
    [[nodiscard]] std::vector<PlaceTime> times_of(starpu_task& task) const;
    void send_data(starpu_task& task, const ReadyTask& ready);

    std::vector<std::vector<int>> workers_of_; ///< workers of each place
    std::vector<int> place_of_;                ///< place of each of StarPU's workers
    std::vector<int> gpus_;                    ///< places that are GPUs
    bool has_devices_ = false;                 ///< devices usually have memories of their own
    BriefMutex mutex_;                         ///< guards tasks_
    ReadyTasks tasks_;
    /// Counts events that may give a worker something to do. A worker that has found nothing looks
    /// again only after such an event, since idle workers ask all the time.
    std::atomic<std::uint64_t> n_changes_{1};
    /// Value of n_changes_ that each worker saw last; only that worker uses its entry.
    std::vector<std::uint64_t> seen_;
};

static_assert(SchedulingPolicy<StarfmmPolicy> && KnowsWorkers<StarfmmPolicy>);

} // namespace starfmm
