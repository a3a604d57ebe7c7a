// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/runtime.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/page_pool.hpp"
#include "codelets/task/spin.hpp"
#include "core/error.hpp"
#include "core/host_limits.hpp"
#include "schedulers/runtime/machine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <numeric>

namespace starfmm {

namespace {

double seconds(const timespec& t) {
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

/// Data of a task.
std::size_t n_bytes(const starpu_task& task) {
    const std::span handles(task.dyn_handles, static_cast<std::size_t>(task.nbuffers));
    return std::transform_reduce(
        handles.begin(), handles.end(), std::size_t(0), std::plus<>(), starpu_data_get_size
    );
}

} // namespace

Runtime::Runtime(const RuntimeOptions& options, Execution execution)
    : execution_(execution), profile_(options.profile) {
    options.validate();
    switch (execution_) {
    case Execution::tasks:
        session_ = start_starpu(options);
        if (profile_) {
            starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
        }
        break;
    case Execution::in_order:
        session_.policy = "none";
        break;
    case Execution::in_order_cuda:
        session_.n_cpu = 0;
        session_.n_cuda = 1;
        session_.policy = "none";
        check_workers("gpus", 1, available_gpus(), "usable GPUs");
        check_device_code(0);
        break;
    }
}

Runtime::~Runtime() {
    if (execution_ == Execution::tasks) {
        starpu_task_wait_for_all();
        collect_records();
        staging_.clear(); // pinned memory goes before the runtime that owns it
        starpu_shutdown();
    }
    trim_pages();
}

Handle::Home Runtime::home() const {
    switch (execution_) {
    case Execution::tasks:
        return Handle::Home::starpu;
    case Execution::in_order_cuda:
        return Handle::Home::device;
    case Execution::in_order:
        break;
    }
    return Handle::Home::plain;
}

double* Runtime::staging(StagingPlace place, std::size_t n) {
    const bool needed = execution_ == Execution::tasks && session_.n_cuda > 0;
    return needed ? staging_[place].require(n) : nullptr;
}

Runtime::ResidentArray* Runtime::resident(const double* data) {
    const auto found = residents_.find(data);
    return found == residents_.end() ? nullptr : &found->second;
}

void Runtime::add_resident(const double* data, Resident& owner) {
    residents_[data] = {&owner, {}, false};
}

void Runtime::remove_resident(const double* data) {
    residents_.erase(data);
}

std::vector<WorkerInfo> Runtime::workers() const {
    std::vector<WorkerInfo> workers;
    if (execution_ != Execution::tasks) {
        return {{"caller", execution_ == Execution::in_order_cuda}};
    }
    for (unsigned id = 0; id < starpu_worker_get_count(); ++id) {
        std::array<char, 128> name{};
        starpu_worker_get_name(static_cast<int>(id), name.data(), name.size());
        workers.push_back(
            {name.data(), starpu_worker_get_type(static_cast<int>(id)) == STARPU_CUDA_WORKER}
        );
    }
    return workers;
}

void Runtime::submit(
    Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args, int priority
) {
    if (execution_ != Execution::tasks) {
        ++n_tasks_;
        run_in_order(codelet, handles, args);
    } else if (fused_ != nullptr) {
        fused_->add(codelet, handles, args);
    } else {
        starpu_task* task = codelet.make_task(handles, args, priority);
        choose_gpu(*task, args.part);
        submit_task(codelet, task);
    }
}

void Runtime::choose_gpu(starpu_task& task, const ProblemPart& part) {
    const std::size_t n_gpus = session_.gpu_workers.size();
    if (part.n > 0 && n_gpus > 0) {
        WorkerSet& workers = session_.gpu_workers[part.index * n_gpus / part.n];
        task.workerids = workers.data();
        task.workerids_len = static_cast<unsigned>(workers.size());
    }
}

void Runtime::submit_task(const Codelet& codelet, starpu_task* task) {
    ++n_tasks_;
    task->destroy = profile_ ? 0 : 1;
    const std::size_t bytes = n_bytes(*task);
    if (session_.n_cuda > 0 && bytes > session_.gpu_memory) {
        task->where = STARPU_CPU;
    }
    const int code = starpu_task_submit(task);
    if (code != 0) {
        const bool too_large = task->where == STARPU_CPU;
        task->destroy = 0;
        starpu_task_destroy(task);
        const std::string what = "no worker can run a task of " + codelet.name();
        if (too_large) {
            throw StarpuError(
                what + ": its " + std::to_string(bytes >> 20U) + " MiB exceed the " +
                std::to_string(session_.gpu_memory >> 20U) + " MiB of GPU memory; CPU workers can"
            );
        }
        throw StarpuError(what);
    }
    if (profile_) {
        running_.emplace_back(&codelet, task);
    }
}

void Runtime::check_memory(std::size_t n_bytes) const {
    constexpr std::size_t few_bytes = std::size_t(1) << 26U; // not worth asking the system
    const std::string arrays =
        "the plan's arrays take " + std::to_string(n_bytes >> 20U) + " MiB; ";
    if (n_bytes > session_.memory) {
        throw MemoryError(
            arrays + "GPUs and host have " + std::to_string(session_.memory >> 20U) +
            " MiB together, by StarPU's count"
        );
    }
    if (session_.n_cuda > 0 || n_bytes < few_bytes || n_bytes <= available_memory()) {
        return;
    }
    trim_pages();
    if (const std::size_t available = available_memory(); n_bytes > available) {
        throw MemoryError(
            arrays + std::to_string(available >> 20U) + " MiB of memory are available"
        );
    }
}

void Runtime::prefetch(const Handle& handle) {
    if (execution_ == Execution::tasks && session_.gpu_node >= 0) {
        const auto node = static_cast<unsigned>(session_.gpu_node);
        check_starpu(
            starpu_data_prefetch_on_node(handle.starpu(), node, 1), "starpu_data_prefetch_on_node"
        );
    }
}

void Runtime::fuse(FusedCodelet& codelet, int priority, const std::function<void()>& submit_tasks) {
    if (execution_ != Execution::tasks) {
        submit_tasks();
        return;
    }
    const Arena::Scope arena;
    fused_ = &codelet;
    try {
        submit_tasks();
    } catch (...) {
        fused_ = nullptr;
        codelet.clear();
        throw;
    }
    fused_ = nullptr;
    if (!codelet.empty()) {
        submit_task(codelet, codelet.make_fused_task(priority));
    }
}

void Runtime::run_in_order(Codelet& codelet, std::span<Handle* const> handles, TaskArgs args) {
    codelet.check_buffers(handles.size());
    std::vector<void*> buffers(handles.size());
    std::transform(handles.begin(), handles.end(), buffers.begin(), [](Handle* handle) {
        return handle->plain();
    });
    if (execution_ == Execution::in_order_cuda) {
        if (codelet.cuda() == nullptr) {
            throw StarpuError("no worker can run a task of " + codelet.name());
        }
        if (profile_ && marks_.empty()) {
            marks_.emplace_back();
        }
        codelet.cuda()(buffers.data(), &args);
        if (profile_) {
            marks_.emplace_back();
            records_.push_back({&codelet, 0, 0, 0, args.work});
        }
        return;
    }
    const double start = now();
    codelet.cpu()(buffers.data(), &args);
    if (profile_) {
        records_.push_back({&codelet, 0, start, now(), args.work});
    }
}

void Runtime::wait() {
    if (execution_ == Execution::tasks) {
        if (spins()) {
            spin_until([] { return starpu_task_nsubmitted() == 0; });
        }
        check_starpu(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
        collect_records();
    } else if (execution_ == Execution::in_order_cuda) {
        wait_for_device();
        collect_marks();
    }
    rethrow_task_error();
}

void Runtime::abandon() noexcept {
    if (execution_ == Execution::tasks) {
        starpu_task_wait_for_all();
    }
    clear_task_error();
}

/// Marks are reached one after the other, so that a task lasts from the one before it to the one
/// after it.
void Runtime::collect_marks() {
    const std::size_t n = marks_.empty() ? 0 : marks_.size() - 1;
    for (std::size_t i = 0; i < n; ++i) {
        TaskRecord& record = records_[records_.size() - n + i];
        record.start_s = marks_[i].seconds_since(marks_.front());
        record.end_s = marks_[i + 1].seconds_since(marks_.front());
    }
    marks_.clear();
}

void Runtime::collect_records() {
    for (const auto& [codelet, task] : running_) {
        if (const starpu_profiling_task_info* info = task->profiling_info) {
            records_.push_back(
                {codelet,
                 info->workerid,
                 seconds(info->start_time),
                 seconds(info->end_time),
                 task->flops}
            );
        }
        starpu_task_destroy(task);
    }
    running_.clear();
}

std::size_t Runtime::transferred_bytes() const {
    std::size_t bytes = 0;
    if (execution_ == Execution::tasks && profile_) {
        for (int bus = 0; bus < starpu_bus_get_count(); ++bus) {
            starpu_profiling_bus_info info{};
            if (starpu_bus_get_profiling_info(bus, &info) == 0) {
                bytes += static_cast<std::size_t>(info.transferred_bytes);
            }
        }
    }
    return bytes;
}

} // namespace starfmm
