// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/context.hpp"

#include "core/error.hpp"
#include "schedulers/trace/trace.hpp"
#include "starfmm/detail/access.hpp"
#include "starfmm/detail/context_state.hpp"

#include <utility>

namespace starfmm {

namespace detail {

namespace {

RuntimeOptions options_of(const Workers& workers) {
    RuntimeOptions options;
    options.cpus = workers.cores.value_or(options.cpus);
    options.gpus = workers.gpus.value_or(options.gpus);
    options.scheduler = workers.scheduler;
    options.profile = workers.record;
    return options;
}

void check(const Workers& workers) {
    for (const auto& [name, wanted] : {std::pair("cores", workers.cores), {"gpus", workers.gpus}}) {
        if (wanted && *wanted < 0) {
            throw InputError(
                std::string("Workers: ") + name + " = " + std::to_string(*wanted) +
                ": must not be negative; leave it out for all there are"
            );
        }
    }
}

Runtime started(const Workers& workers) {
    check(workers);
    return Runtime(options_of(workers), workers.in_order ? Execution::in_order : Execution::tasks);
}

} // namespace

ContextState::ContextState(const Workers& workers) : runtime_(started(workers)) {
    if (workers.record) {
        runtime_.record_details();
    }
}

void ContextState::check_is_own() const {
    if (!is_own()) {
        throw Error("the context is that of the process that this one has forked from, whose "
                    "workers are not here: fork before the first Context, or start a new program");
    }
}

ContextState::Use::Use(ContextState& context)
    : lock_(context.mutex_, std::defer_lock), runtime_(context.runtime_) {
    context.check_is_own();
    lock_.lock();
    clear_task_error(); // no task is left of earlier calls: what came after them interrupts nothing
}

Context Access::start(const RuntimeOptions& options) {
    return Context(std::make_unique<ContextState>(options));
}

Runtime& Access::runtime(Context& context) {
    return ContextState::Use(*context.state_).runtime();
}

} // namespace detail

Context::Context(const Workers& workers)
    : state_(std::make_unique<detail::ContextState>(workers)) {}

Context::Context(std::unique_ptr<detail::ContextState> state) : state_(std::move(state)) {}

Context::~Context() {
    if (!state_->is_own()) { // StarPU's threads are the parent's: nothing here could end them
        static_cast<void>(state_.release());
    }
}

int Context::cores() const {
    return state_->runtime().n_cpu();
}

int Context::gpus() const {
    return state_->runtime().n_cuda();
}

const std::string& Context::scheduler() const {
    return state_->runtime().policy();
}

const std::string& Context::notice() const {
    return state_->runtime().notice();
}

void Context::interrupt() noexcept {
    interrupt_tasks();
}

void Context::write_trace(const std::string& path) const {
    check_trace_file_name("path", path);
    if (!state_->runtime().profiles()) {
        throw InputError("write_trace: nothing was recorded: make the Context with Workers::record"
        );
    }
    const detail::ContextState::Use use(*state_);
    starfmm::write_trace(path, use.runtime());
}

} // namespace starfmm
