// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/rest.hpp"

#include "schedulers/runtime/policy.hpp"

#include <starpu.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace starfmm {

namespace {

using Clock = std::chrono::steady_clock;

/// Time without a task after which a worker naps, long beside what a task's successor takes to
/// become ready.
constexpr std::chrono::microseconds patience{500};
constexpr std::chrono::microseconds nap{50};
/// Sleeping times of workers that are not engaged. StarPU has such workers move data at times,
/// mostly those of GPUs. Each time that one of many cores wakes, it may take the caller's core.
constexpr std::chrono::milliseconds sleep_of_gpu{1};
constexpr std::chrono::milliseconds sleep_of_core{5};

// StarPU lives once in a process, and hands policies nothing of ours.
starpu_sched_policy policy;
starpu_task* (*pop)(unsigned) = nullptr;
std::atomic<bool> cores_engaged{true};
std::atomic<bool> gpus_engaged{true};
std::mutex engaging;
std::condition_variable cores_wanted;

/// The worker that leaves its core to the caller (-1: none), and the time when that ends.
std::atomic<int> leaves_core{-1};
std::atomic<Clock::time_point> leaves_until{Clock::time_point::min()};

thread_local Clock::time_point idle_since = Clock::time_point::max();

void rest_for(std::chrono::microseconds time) {
    starpu_worker_relax_on(); // others may give it tasks meanwhile
    std::this_thread::sleep_for(time);
    starpu_worker_relax_off();
}

/// Sleeps until cores are engaged, and no longer than sleep_of_core.
void rest_unless_wanted() {
    starpu_worker_relax_on();
    {
        std::unique_lock lock(engaging);
        cores_wanted.wait_for(lock, sleep_of_core, [] { return cores_engaged.load(); });
    }
    starpu_worker_relax_off();
}

/// Lets a worker that has found no task rest.
void rest() {
    const auto kind = starpu_worker_get_type(starpu_worker_get_id_check());
    const bool is_cpu = kind == STARPU_CPU_WORKER;
    if (is_cpu && !cores_engaged) {
        rest_unless_wanted();
    } else if (kind == STARPU_CUDA_WORKER && !gpus_engaged) {
        rest_for(sleep_of_gpu);
    } else if (is_cpu) { // other workers look after transfers and running tasks
        const Clock::time_point now = Clock::now();
        if (idle_since == Clock::time_point::max()) {
            idle_since = now;
        } else if (now - idle_since > patience) {
            rest_for(nap);
        }
    }
}

starpu_task* pop_or_rest(unsigned context) {
    if (leaves_core.load(std::memory_order_relaxed) == starpu_worker_get_id() &&
        Clock::now() < leaves_until.load(std::memory_order_relaxed)) {
        rest_for(nap);
        return nullptr;
    }
    // policies without pop_task, as `random`, put tasks into queues of the workers themselves
    starpu_task* const task = pop != nullptr ? pop(context) : nullptr;
    if (task == nullptr) {
        rest();
    } else {
        idle_since = Clock::time_point::max();
    }
    return task;
}

} // namespace

starpu_sched_policy* with_rests(const std::string& name) {
    policy = policy_of_name(name);
    pop = policy.pop_task;
    policy.pop_task = pop_or_rest;
    return &policy;
}

void leave_core(std::chrono::milliseconds time) {
    const auto n_cpu = static_cast<int>(starpu_cpu_worker_get_count());
    const bool some_stay = time > std::chrono::milliseconds::zero() && n_cpu > 1;
    leaves_until = Clock::now() + time;
    leaves_core = some_stay ? starpu_worker_get_by_type(STARPU_CPU_WORKER, n_cpu - 1) : -1;
}

void let_rest(const WorkerCounts& engaged) {
    {
        const std::scoped_lock lock(engaging);
        cores_engaged = engaged.n_cpu > 0;
    }
    if (cores_engaged) {
        cores_wanted.notify_all();
    }
    gpus_engaged = engaged.n_cuda > 0;
    leaves_core = -1;
}

} // namespace starfmm
