// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/runtime.hpp"

#include "codelets/task/memory/page_pool.hpp"
#include "schedulers/runtime/executor.hpp"

namespace starfmm {

namespace {

const RuntimeOptions& validated(const RuntimeOptions& options) {
    options.validate();
    return options;
}

} // namespace

Runtime::Runtime(const RuntimeOptions& options, Execution execution)
    : profile_(options.profile), session_(start_session(validated(options), execution)),
      executor_(make_executor(execution, session_, profile_ ? &records_ : nullptr)),
      arrays_(execution == Execution::tasks && session_.n_cuda > 0) {}

Runtime::~Runtime() {
    executor_.reset(); // waits for tasks that use the arrays
    arrays_ = ArrayMemory(false);
    session_ = {};
    trim_pages();
}

Handle::Home Runtime::home() const {
    return executor_->home();
}

void Runtime::submit(
    Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args, int priority
) {
    executor_->submit(codelet, handles, args, priority);
}

void Runtime::prefetch(const Handle& handle) {
    executor_->prefetch(handle);
}

void Runtime::send(std::span<Handle* const> handles, const ProblemPart& part) {
    executor_->send(handles, part);
}

void Runtime::fuse(FusedCodelet& codelet, int priority, const std::function<void()>& submit_tasks) {
    executor_->fuse(codelet, priority, submit_tasks);
}

void Runtime::wait() {
    executor_->wait();
    rethrow_task_error();
}

void Runtime::wait_for_all_but(std::size_t n) {
    executor_->wait_for_all_but(n);
}

void Runtime::abandon() noexcept {
    executor_->abandon();
    clear_task_error();
}

void Runtime::clear_records() {
    records_.clear();
    executor_->forget_tasks();
}

void Runtime::record_details() {
    if (profile_) {
        executor_->record_details();
    }
}

std::size_t Runtime::n_tasks() const {
    return executor_->n_tasks();
}

std::size_t Runtime::transferred_bytes() {
    if (profile_ && session_.is_running != nullptr) {
        transferred_bytes_ += transferred_bytes_of_starpu();
    }
    return transferred_bytes_;
}

bool Runtime::records_transfers() const {
    return executor_->records_transfers();
}

std::vector<Transfer> Runtime::transfers() const {
    return records_transfers() ? TransferLog::transfers() : std::vector<Transfer>();
}

std::vector<MemoryUse> Runtime::memory_uses() const {
    return records_transfers() ? TransferLog::memory_uses() : std::vector<MemoryUse>();
}

} // namespace starfmm
