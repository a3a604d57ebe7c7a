// SPDX-License-Identifier: BSD-3-Clause
// A scheduling policy is a type, which this header makes into what StarPU calls.
#pragma once

#include <starpu.h>

#include <concepts>
#include <limits>
#include <memory>
#include <span>

namespace starfmm {

/// A scheduling policy must be able to do this. StarPU makes one object for each set of workers,
/// and calls it from all of its threads at once: policies lock what they keep.
///
/// - `push(task)`: the task is ready. Every task must be popped some day.
/// - `pop(worker)`: returns a task that this worker is to run next, or null. The policy asks
///   starpu_worker_can_execute_task_first_impl() whether the worker can run the task, and calls
///   starpu_task_set_implementation() with the implementation that the answer names.
template <class P>
concept SchedulingPolicy = std::default_initializable<P> &&
    requires(P& policy, starpu_task& task, int worker) {
    { P::name } -> std::convertible_to<const char*>;
    policy.push(task);
    { policy.pop(worker) } -> std::same_as<starpu_task*>;
};

/// Policies that want to know who works for them have `add_workers(ids)` and `remove_workers(ids)`.
template <class P>
concept KnowsWorkers = requires(P& policy, std::span<const int> workers) {
    policy.add_workers(workers);
    policy.remove_workers(workers);
};

/// Policies that want to know what has ended have `ended(task)`, called on the worker that ran it.
template <class P>
concept KnowsEnds = requires(P& policy, starpu_task& task) {
    policy.ended(task);
};

/// Policies that send data ahead themselves have `static constexpr bool sends_data = true`. For
/// other policies, StarPU sends the data of tasks that only one memory serves.
template <class P>
concept SendsData = requires {
    requires P::sends_data;
};

/// The functions of a policy as StarPU calls them. Exceptions cannot be passed on to anyone, hence
/// `noexcept`: a lost task would be waited for for ever.
template <SchedulingPolicy P>
struct PolicyCalls {
    static P& policy_of(unsigned context) noexcept {
        return *static_cast<P*>(starpu_sched_ctx_get_policy_data(context));
    }

    static void init(unsigned context) noexcept {
        starpu_sched_ctx_set_policy_data(context, std::make_unique<P>().release());
        starpu_sched_ctx_set_min_priority(context, std::numeric_limits<int>::min());
        starpu_sched_ctx_set_max_priority(context, std::numeric_limits<int>::max());
    }

    static void deinit(unsigned context) noexcept {
        const std::unique_ptr<P> last(&policy_of(context));
        starpu_sched_ctx_set_policy_data(context, nullptr);
    }

    /// Tells StarPU first that the task is in the queue: once queued, the task may be gone at any
    /// time.
    static int push(starpu_task* task) noexcept {
        const unsigned context = task->sched_ctx;
        const int code = starpu_push_task_end(task);
        policy_of(context).push(*task);
        wake_workers(context);
        return code;
    }

    static starpu_task* pop(unsigned context) noexcept {
        return policy_of(context).pop(static_cast<int>(starpu_worker_get_id_check()));
    }

    static void add_workers(unsigned context, int* workers, unsigned n) noexcept {
        if constexpr (KnowsWorkers<P>) {
            policy_of(context).add_workers(std::span<const int>(workers, n));
        }
        for (const int worker : std::span(workers, n)) {
            starpu_sched_ctx_worker_shares_tasks_lists(worker, static_cast<int>(context));
        }
    }

    static void remove_workers(unsigned context, int* workers, unsigned n) noexcept {
        if constexpr (KnowsWorkers<P>) {
            policy_of(context).remove_workers(std::span<const int>(workers, n));
        }
    }

    static void ended(starpu_task* task, unsigned context) noexcept {
        if constexpr (KnowsEnds<P>) {
            policy_of(context).ended(*task);
        }
    }

private:
    /// Wakes the workers of a StarPU whose workers sleep; in other builds workers ask all the time.
    static void wake_workers([[maybe_unused]] unsigned context) noexcept {
#ifndef STARPU_NON_BLOCKING_DRIVERS
        for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
            if (starpu_sched_ctx_contains_worker(static_cast<int>(worker), context) != 0) {
                starpu_wake_worker_relax_light(static_cast<int>(worker));
            }
        }
#endif
    }
};

/// Makes the description of a policy that StarPU takes.
template <SchedulingPolicy P>
[[nodiscard]] starpu_sched_policy starpu_policy() {
    starpu_sched_policy policy{};
    policy.policy_name = P::name;
    policy.policy_description = P::name;
    policy.init_sched = PolicyCalls<P>::init;
    policy.deinit_sched = PolicyCalls<P>::deinit;
    policy.push_task = PolicyCalls<P>::push;
    policy.pop_task = PolicyCalls<P>::pop;
    policy.add_workers = PolicyCalls<P>::add_workers;
    policy.remove_workers = PolicyCalls<P>::remove_workers;
    policy.post_exec_hook = KnowsEnds<P> ? PolicyCalls<P>::ended : nullptr;
    policy.prefetches = SendsData<P> ? 1 : 0;
    policy.worker_type = STARPU_WORKER_LIST;
    return policy;
}

} // namespace starfmm
