// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/policies/starfmm_policy.hpp"

#include "codelets/task/submitted_task.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

namespace starfmm {

namespace {

constexpr double microseconds = 1e-6;

double now_s() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

/// Lists the workers of each memory, as StarPU numbers devices of a kind; all cores are one place.
std::vector<std::vector<int>> workers_by_place() {
    std::map<std::pair<int, int>, std::vector<int>> places;
    for (int worker = 0; worker < static_cast<int>(starpu_worker_get_count()); ++worker) {
        const auto kind = starpu_worker_get_type(worker);
        const int device = kind == STARPU_CPU_WORKER ? 0 : starpu_worker_get_devid(worker);
        places[{kind, device}].push_back(worker);
    }
    std::vector<std::vector<int>> workers;
    workers.reserve(places.size());
    for (auto& [key, of_place] : places) {
        workers.push_back(std::move(of_place));
    }
    return workers;
}

std::vector<PlaceKind> kinds_of(const std::vector<std::vector<int>>& places) {
    std::vector<PlaceKind> kinds;
    kinds.reserve(places.size());
    for (const std::vector<int>& workers : places) {
        const bool is_cpu = starpu_worker_get_type(workers.front()) == STARPU_CPU_WORKER;
        kinds.push_back(is_cpu ? PlaceKind::cores : PlaceKind::device);
    }
    return kinds;
}

/// Predicted seconds of a task that a worker runs by this implementation; 0 where nothing is known.
double seconds_of(starpu_task& task, int worker, unsigned implementation) {
    if (args_of(task) != nullptr) {
        const bool on_cuda = starpu_worker_get_type(worker) == STARPU_CUDA_WORKER;
        return predicted_seconds(task, on_cuda, static_cast<int>(implementation));
    }
    const double length = starpu_task_worker_expected_length(
        &task, static_cast<unsigned>(worker), task.sched_ctx, implementation
    );
    return std::isfinite(length) ? microseconds * length : 0;
}

struct TimedImplementation {
    unsigned index;
    double seconds;
};

/// Returns the fastest implementation that a worker can run, if there is one.
std::optional<TimedImplementation> best_of(starpu_task& task, int worker) {
    unsigned able = 0;
    if (starpu_worker_can_execute_task_impl(static_cast<unsigned>(worker), &task, &able) == 0) {
        return std::nullopt;
    }
    std::optional<TimedImplementation> best;
    for (unsigned i = 0; able >> i != 0; ++i) {
        if ((able >> i & 1U) != 0) {
            const double seconds = seconds_of(task, worker, i);
            if (!best || seconds < best->seconds) {
                best = {i, seconds};
            }
        }
    }
    return best;
}

/// Lists the workers that a task is restricted to; the list is empty if the task treats all workers
/// of a kind alike.
std::vector<int> workers_only(starpu_task& task) {
    const bool differ =
        task.workerids_len > 0 || (task.cl->can_execute != nullptr && args_of(task) == nullptr);
    std::vector<int> only;
    for (unsigned worker = 0; differ && worker < starpu_worker_get_count(); ++worker) {
        if (starpu_worker_can_execute_task_first_impl(worker, &task, nullptr) != 0) {
            only.push_back(static_cast<int>(worker));
        }
    }
    return only;
}

/// Numbers the group in the way that traces do.
std::uint64_t group_of(const TaskArgs& args) {
    if (args.part.n > 0) {
        return args.part.index;
    }
    return args.tree.first > 0 ? args.tree.root : ReadyTask::no_group;
}

} // namespace

StarfmmPolicy::StarfmmPolicy()
    : workers_of_(workers_by_place()), place_of_(starpu_worker_get_count()),
      tasks_(kinds_of(workers_of_)), seen_(starpu_worker_get_count()) {
    for (std::size_t place = 0; place < workers_of_.size(); ++place) {
        for (const int worker : workers_of_[place]) {
            place_of_[static_cast<std::size_t>(worker)] = static_cast<int>(place);
        }
        const auto kind = starpu_worker_get_type(workers_of_[place].front());
        has_devices_ |= kind != STARPU_CPU_WORKER;
        if (kind == STARPU_CUDA_WORKER) {
            gpus_.push_back(static_cast<int>(place));
        }
    }
}

/// Returns a worker of the place that can run the task; the workers differ only in what a task is
/// restricted to.
/// \returns -1 if no worker can run the task
int StarfmmPolicy::able_worker(std::size_t place, starpu_task& task) const {
    const std::vector<int>& workers = workers_of_[place];
    const auto found = std::ranges::find_if(workers, [&task](int worker) {
        const auto id = static_cast<unsigned>(worker);
        return starpu_worker_can_execute_task_first_impl(id, &task, nullptr) != 0;
    });
    return found == workers.end() ? -1 : *found;
}

/// Predicts the task's times; travel times are asked for only where there is a choice.
std::vector<PlaceTime> StarfmmPolicy::times_of(starpu_task& task) const {
    std::vector<PlaceTime> times(workers_of_.size());
    std::vector<int> able(times.size());
    int n_able = 0;
    for (std::size_t place = 0; place < times.size(); ++place) {
        able[place] = able_worker(place, task);
        if (able[place] >= 0) {
            times[place].run = best_of(task, able[place])->seconds;
            ++n_able;
        }
    }
    for (std::size_t place = 0; place < times.size() && n_able > 1; ++place) {
        if (able[place] >= 0) {
            const auto id = static_cast<unsigned>(able[place]);
            const double fetch = starpu_task_expected_data_transfer_time_for(&task, id);
            times[place].fetch = std::isfinite(fetch) ? microseconds * fetch : 0;
        }
    }
    return times;
}

ReadyTask StarfmmPolicy::describe(starpu_task& task) const {
    ReadyTask ready;
    ready.task = &task;
    ready.priority = task.priority;
    ready.only = workers_only(task);
    ready.times = times_of(task);
    if (const TaskArgs* const args = args_of(task)) {
        ready.group = group_of(*args);
        if (args->part.n > 0 && gpus_.size() > 1) { // neighbouring parts share a GPU
            ready.part_place = gpus_[args->part.index * gpus_.size() / args->part.n];
        }
    }
    return ready;
}

/// Sends the data ahead. The call comes before the task is in a queue, from which it may be gone at
/// any time.
void StarfmmPolicy::send_data(starpu_task& task, const ReadyTask& ready) {
    if (starpu_get_prefetch_flag() == 0) {
        return;
    }
    std::optional<int> place;
    {
        const std::scoped_lock lock(mutex_);
        place = tasks_.settled_place(ready, now_s());
    }
    if (!place) {
        return;
    }
    if (const int worker = able_worker(static_cast<std::size_t>(*place), task); worker >= 0) {
        // the request is only a hint: where it fails, the worker that runs the task fetches its
        // data
        static_cast<void>(starpu_prefetch_task_input_for(&task, static_cast<unsigned>(worker)));
    }
}

void StarfmmPolicy::push(starpu_task& task) {
    ReadyTask ready = describe(task);
    if (has_devices_) {
        send_data(task, ready);
    }
    const std::scoped_lock lock(mutex_);
    tasks_.push(std::move(ready), starpu_worker_get_id(), now_s());
    n_changes_.fetch_add(1, std::memory_order_release);
}

starpu_task* StarfmmPolicy::pop(int worker) {
    std::uint64_t& seen = seen_[static_cast<std::size_t>(worker)];
    if (seen == n_changes_.load(std::memory_order_acquire)) {
        return nullptr;
    }
    starpu_task* task = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        task = tasks_.pop(worker, now_s());
        if (task == nullptr) {
            seen = n_changes_.load(std::memory_order_relaxed);
        }
    }
    if (task != nullptr) {
        if (const auto best = best_of(*task, worker)) {
            starpu_task_set_implementation(task, best->index);
        }
    }
    return task;
}

void StarfmmPolicy::ended(starpu_task& task) {
    const std::scoped_lock lock(mutex_);
    tasks_.ended(starpu_worker_get_id(), &task, now_s());
    if (has_devices_) { // devices may be slower than predicted: cores look again
        n_changes_.fetch_add(1, std::memory_order_release);
    }
}

void StarfmmPolicy::add_workers(std::span<const int> workers) {
    const std::scoped_lock lock(mutex_);
    for (const int worker : workers) {
        tasks_.set_worker(worker, place_of_[static_cast<std::size_t>(worker)]);
    }
    n_changes_.fetch_add(1, std::memory_order_release);
}

void StarfmmPolicy::remove_workers(std::span<const int> workers) {
    const std::scoped_lock lock(mutex_);
    for (const int worker : workers) {
        tasks_.set_worker(worker, -1);
    }
    n_changes_.fetch_add(1, std::memory_order_release);
}

} // namespace starfmm
