// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime.hpp"

#include "core/error.hpp"
#include "core/page_pool.hpp"
#include "schedulers/policy.hpp"
#include "schedulers/topology.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <new>
#include <set>

namespace starfmm {

namespace {

double seconds(const timespec& t) {
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

/// StarPU's allocations without a GPU: nothing to pin, but pages to save.
int allocate_hook(unsigned /*node*/, void** data, std::size_t n, int /*flags*/) {
    try {
        *data = allocate_pages(n);
        return 0;
    } catch (const std::bad_alloc&) {
        return -ENOMEM;
    }
}

int free_hook(unsigned /*node*/, void* data, std::size_t /*n*/, int /*flags*/) {
    release_pages(data);
    return 0;
}

void check_workers(const char* name, int wanted, int available, const char* what) {
    if (wanted > available) {
        throw InputError(
            std::string(name) + " = " + std::to_string(wanted) + ": this machine has " +
            std::to_string(available) + " " + what
        );
    }
}

/// Two streams a GPU, each of which StarPU sees as a worker: the chain of the far field and the
/// near field run side by side, and the launch of one hides behind the other's work. Without a say
/// of the user's own.
void set_streams() {
    constexpr int keep = 0;
    setenv("STARPU_NWORKER_PER_CUDA", "2", keep);
}

/// GPUs that StarPU's CUDA workers drive.
int count_gpus() {
    std::set<int> devices;
    for (unsigned id = 0; id < starpu_worker_get_count(); ++id) {
        if (starpu_worker_get_type(static_cast<int>(id)) == STARPU_CUDA_WORKER) {
            devices.insert(starpu_worker_get_devid(static_cast<int>(id)));
        }
    }
    return static_cast<int>(devices.size());
}

} // namespace

Runtime::Runtime(const RuntimeOptions& options, Execution execution)
    : execution_(execution), profile_(options.profile) {
    options.validate();
    switch (execution_) {
    case Execution::tasks:
        start(options);
        break;
    case Execution::in_order:
        policy_ = "none";
        break;
    case Execution::in_order_cuda:
        policy_ = "none";
        start_cuda_in_order();
        break;
    }
}

void Runtime::start_cuda_in_order() {
    check_workers("gpus", 1, available_gpus(), "usable GPUs");
    n_cpu_ = 0;
    n_cuda_ = 1;
}

void Runtime::start(const RuntimeOptions& options) {
    const int gpus = available_gpus();
    const int cores = available_cores();
    check_workers("gpus", options.gpus, gpus, "usable GPUs");
    check_workers("cpus", options.cpus, cores, "cores");
    n_cuda_ = options.gpus < 0 ? gpus : options.gpus;
    // Cores beside a GPU add a few percent to its speed and more to the cost of a task: only if
    // asked for.
    n_cpu_ = options.cpus >= 0 ? options.cpus : n_cuda_ > 0 ? 0 : cores;
    policy_ = choose_policy(options.scheduler, n_cuda_ > 0);
    starpu_conf conf;
    check_starpu(starpu_conf_init(&conf), "starpu_conf_init");
    conf.ncpus = n_cpu_;
    conf.ncuda = n_cuda_;
    conf.nopencl = 0;
    conf.sched_policy_name = policy_.c_str();
    conf.catch_signals = 0;
    conf.reserve_ncpus = 0;
    if (n_cuda_ == 0) {
        starpu_malloc_set_hooks(allocate_hook, free_hook);
    } else {
        starpu_malloc_set_hooks(nullptr, nullptr);
    }
    set_streams();
    const int code = starpu_init(&conf);
    if (code == -ENODEV) {
        throw InputError("StarPU finds none of the workers asked for");
    }
    check_starpu(code, "starpu_init");
    if (count_gpus() != n_cuda_) {
        starpu_shutdown();
        throw InputError("gpus = " + std::to_string(n_cuda_) + ": StarPU cannot use that many");
    }
    if (profile_) {
        starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    }
}

Runtime::~Runtime() {
    if (execution_ == Execution::tasks) {
        starpu_task_wait_for_all();
        collect_records();
        staging_ = {}; // pinned memory goes before the runtime that owns it
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

double* Runtime::staging(Staging role, std::size_t n) {
    const bool needed = execution_ == Execution::tasks && n_cuda_ > 0;
    return needed ? staging_[static_cast<std::size_t>(role)].require(n) : nullptr;
}

Runtime::ResidentArray* Runtime::resident(const double* data) {
    const auto found = residents_.find(data);
    return found == residents_.end() ? nullptr : &found->second;
}

void Runtime::add_resident(const double* data, const Handle& handle) {
    residents_[data] = {&handle};
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
        submit_task(codelet, codelet.make_task(handles, args, priority));
    }
}

void Runtime::submit_task(const Codelet& codelet, starpu_task* task) {
    ++n_tasks_;
    task->destroy = profile_ ? 0 : 1;
    const int code = starpu_task_submit(task);
    if (code != 0) {
        task->destroy = 0;
        starpu_task_destroy(task);
        throw StarpuError("no worker can run a task of " + codelet.name());
    }
    if (profile_) {
        running_.emplace_back(&codelet, task);
    }
}

void Runtime::fuse(FusedCodelet& codelet, int priority, const std::function<void()>& submit_tasks) {
    if (execution_ != Execution::tasks) {
        submit_tasks();
        return;
    }
    const Handle::Deferral keep_data;
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
        check_starpu(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
        collect_records();
    } else if (execution_ == Execution::in_order_cuda) {
        wait_for_device();
        collect_marks();
    }
    rethrow_task_error();
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
