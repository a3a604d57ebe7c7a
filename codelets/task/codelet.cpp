// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/codelet.hpp"

#include "codelets/task/memory/page_pool.hpp"
#include "codelets/task/submitted_task.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace starfmm {

namespace {

std::mutex error_mutex;
std::exception_ptr first_error;
std::atomic<bool> has_error{false};
std::atomic<bool> is_interrupted{false};

/// The arguments that the implementations need. A codelet's extra bytes follow, which bodies find
/// behind their arguments.
struct TaskPayload {
    BodyFunction cpu;
    CudaBodies cuda;
    BodyFunction opencl;
    TaskTimes predicted;
    TaskArgs args;
};

static_assert(offsetof(TaskPayload, args) + sizeof(TaskArgs) == sizeof(TaskPayload));

[[noreturn]] void lack_memory(void* /*buffers*/[], void* /*args*/) {
    throw std::bad_alloc();
}

bool lacks_memory(void* buffer) {
    return view<std::byte>(buffer).data() == missing_pages();
}

void run_cpu(void* buffers[], void* payload) {
    auto* task = static_cast<TaskPayload*>(payload);
    const int n = starpu_task_get_current()->nbuffers;
    const bool lacks = std::any_of(buffers, buffers + n, lacks_memory);
    run_guarded(lacks ? lack_memory : task->cpu, buffers, &task->args);
}

template <int implementation>
void run_cuda(void* buffers[], void* payload) {
    auto* task = static_cast<TaskPayload*>(payload);
    run_guarded(
        [](void* own[], void* of) {
            auto* called = static_cast<TaskPayload*>(of);
            called->cuda.functions[implementation](own, &called->args);
        },
        buffers,
        task
    );
}

constexpr starpu_cuda_func_t cuda_runners[max_implementations]{run_cuda<0>, run_cuda<1>};

void run_opencl(void* buffers[], void* payload) {
    auto* task = static_cast<TaskPayload*>(payload);
    run_guarded(task->opencl, buffers, &task->args);
}

/// Whether a task leaves the choice, or asks for this implementation; a CPU has only one.
int can_execute(unsigned worker, starpu_task* task, unsigned implementation) {
    const int wanted = static_cast<const TaskPayload*>(task->cl_arg)->args.implementation;
    const bool is_cuda = starpu_worker_get_type(static_cast<int>(worker)) == STARPU_CUDA_WORKER;
    return !is_cuda || wanted < 0 || wanted == static_cast<int>(implementation) ? 1 : 0;
}

/// Returns the predicted time in microseconds.
double predicted_time(starpu_task* task, starpu_perfmodel_arch* arch, unsigned implementation) {
    constexpr double microseconds = 1e6;
    const bool on_cuda = arch->devices[0].type == STARPU_CUDA_WORKER;
    return microseconds * predicted_seconds(*task, on_cuda, static_cast<int>(implementation));
}

} // namespace

const TaskArgs* args_of(const starpu_task& task) {
    const starpu_perfmodel* const model = task.cl != nullptr ? task.cl->model : nullptr;
    const bool is_ours = model != nullptr && model->arch_cost_function == predicted_time;
    return is_ours ? &static_cast<const TaskPayload*>(task.cl_arg)->args : nullptr;
}

double predicted_seconds(const starpu_task& task, bool on_cuda, int implementation) {
    const TaskTimes& predicted = static_cast<const TaskPayload*>(task.cl_arg)->predicted;
    return on_cuda ? predicted.cuda[static_cast<std::size_t>(implementation)] : predicted.cpu;
}

void run_guarded(BodyFunction body, void* buffers[], void* args) noexcept {
    if (has_error.load(std::memory_order_relaxed)) {
        return;
    }
    try {
        body(buffers, args);
    } catch (...) {
        const std::scoped_lock lock(error_mutex);
        if (!first_error) {
            first_error = std::current_exception();
        }
        has_error = true;
    }
}

void rethrow_task_error() {
    const std::scoped_lock lock(error_mutex);
    if (is_interrupted.exchange(false)) {
        has_error = false;
        first_error = nullptr;
        throw Interrupted("the sum was interrupted");
    }
    if (first_error) {
        has_error = false;
        std::rethrow_exception(std::exchange(first_error, nullptr));
    }
}

void interrupt_tasks() noexcept {
    is_interrupted = true;
    has_error = true;
}

bool has_task_error() {
    return has_error.load(std::memory_order_acquire);
}

void clear_task_error() {
    const std::scoped_lock lock(error_mutex);
    is_interrupted = false;
    has_error = false;
    first_error = nullptr;
}

Codelet::Codelet(
    std::string name,
    const std::string& variant,
    Color color,
    BodyFunction cpu,
    CudaBodies cuda,
    AccessModes modes
)
    : name_(std::move(name)), symbol_(name_ + "_" + variant), cpu_(cpu), cuda_(cuda),
      modes_(std::move(modes)), cl_{}, model_{} {
    model_.type = STARPU_PER_ARCH;
    model_.symbol = symbol_.c_str();
    model_.arch_cost_function = predicted_time;
    starpu_codelet_init(&cl_);
    cl_.cpu_funcs[0] = run_cpu;
    cl_.where = STARPU_CPU;
    for (int i = 0; i < max_implementations && cuda_.functions[i] != nullptr; ++i) {
        cl_.cuda_funcs[i] = cuda_runners[i];
        cl_.cuda_flags[i] = STARPU_CUDA_ASYNC;
        cl_.where |= STARPU_CUDA;
        cl_.can_execute = i > 0 ? can_execute : nullptr;
    }
    cl_.nbuffers = STARPU_VARIABLE_NBUFFERS;
    cl_.model = &model_;
    cl_.name = name_.c_str();
    cl_.color = static_cast<unsigned>(color);
}

void Codelet::add_opencl(BodyFunction opencl) {
    opencl_ = opencl;
    cl_.opencl_funcs[0] = run_opencl;
    cl_.opencl_flags[0] = STARPU_OPENCL_ASYNC;
    cl_.where |= STARPU_OPENCL;
}

void Codelet::check_buffers(std::size_t n) const {
    const std::size_t first = modes_.first.size();
    const std::size_t rest = modes_.rest.size();
    if (n == first || (n > first && rest > 0 && (n - first) % rest == 0)) {
        return;
    }
    std::string message = name_ + ": " + std::to_string(n) + " buffers, takes ";
    message += std::to_string(first);
    if (rest > 0) {
        message += " and any number of times " + std::to_string(rest);
    }
    throw Error(message);
}

starpu_data_access_mode Codelet::mode(std::size_t buffer) const {
    const std::size_t first = modes_.first.size();
    return buffer < first ? modes_.first[buffer]
                          : modes_.rest[(buffer - first) % modes_.rest.size()];
}

starpu_task*
Codelet::make_task(std::span<Handle* const> handles, const TaskArgs& args, int priority) {
    check_buffers(handles.size());
    std::vector<TaskBuffer> buffers(handles.size());
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const bool in_order = args.keeps_order && mode(i) == accumulate;
        buffers[i] = {handles[i]->starpu(), in_order ? STARPU_RW : mode(i)};
    }
    return new_task(buffers, args, times_of(costs_, args), priority, {});
}

namespace {

/// Allocates memory that StarPU frees with the task, by free().
void* allocate_for_task(std::size_t n_bytes) {
    void* memory = std::malloc(n_bytes);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

} // namespace

starpu_task* Codelet::new_task(
    std::span<const TaskBuffer> buffers,
    const TaskArgs& args,
    const TaskTimes& predicted,
    int priority,
    std::span<const std::byte> extra
) {
    const std::size_t n = buffers.size();
    auto* payload = static_cast<std::byte*>(allocate_for_task(sizeof(TaskPayload) + extra.size()));
    auto* data =
        static_cast<starpu_data_handle_t*>(allocate_for_task(n * sizeof(starpu_data_handle_t)));
    auto* modes =
        static_cast<starpu_data_access_mode*>(allocate_for_task(n * sizeof(starpu_data_access_mode))
        );
    starpu_task* task = starpu_task_create();
    if (task == nullptr) {
        throw std::bad_alloc();
    }
    new (payload) TaskPayload{cpu_, cuda_, opencl_, predicted, args};
    std::copy(extra.begin(), extra.end(), payload + sizeof(TaskPayload));
    for (std::size_t i = 0; i < n; ++i) {
        data[i] = buffers[i].handle;
        modes[i] = buffers[i].mode;
    }
    task->cl = &cl_;
    task->cl_arg = payload;
    task->cl_arg_size = sizeof(TaskPayload) + extra.size();
    task->cl_arg_free = 1;
    task->nbuffers = static_cast<int>(n);
    task->dyn_handles = data;
    task->dyn_modes = modes;
    task->priority = priority;
    task->flops = args.work;
    return task;
}

} // namespace starfmm
