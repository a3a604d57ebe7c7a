// SPDX-License-Identifier: BSD-3-Clause
// This example is a scheduling policy of one's own: of all ready tasks that a worker can run, the
// one with the most work goes first, whatever its priority.
#pragma once

#include "schedulers/runtime/policy.hpp"

#include <iterator>
#include <map>
#include <mutex>

namespace examples {

class HeaviestFirst {
public:
    static constexpr const char* name = "heaviest-first";

    void push(starpu_task& task) {
        const std::scoped_lock lock(mutex_);
        ready_.emplace(task.flops, &task);
    }

    starpu_task* pop(int worker) {
        const std::scoped_lock lock(mutex_);
        for (auto entry = ready_.rbegin(); entry != ready_.rend(); ++entry) {
            starpu_task* const task = entry->second;
            const auto id = static_cast<unsigned>(worker);
            unsigned implementation = 0;
            if (starpu_worker_can_execute_task_first_impl(id, task, &implementation) != 0) {
                starpu_task_set_implementation(task, implementation);
                ready_.erase(std::next(entry).base());
                return task;
            }
        }
        return nullptr;
    }

private:
    std::mutex mutex_;
    std::multimap<double, starpu_task*> ready_; ///< ready tasks by their work
};

static_assert(starfmm::SchedulingPolicy<HeaviestFirst>);

} // namespace examples
