// SPDX-License-Identifier: BSD-3-Clause
// An executor runs tasks: by StarPU's workers, or in order in the caller's thread.
#pragma once

#include "codelets/task/codelet.hpp"
#include "codelets/task/fused_codelet.hpp"
#include "schedulers/runtime/records.hpp"
#include "schedulers/runtime/session.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace starfmm {

/// Takes tasks in an order that respects their dependencies, and appends their records to those
/// that it was given, if any.
class Executor {
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    /// Says where handles of this executor's tasks live.
    [[nodiscard]] virtual Handle::Home home() const = 0;

    /// Submits a task.
    /// \throws StarpuError if no worker can run the task
    virtual void submit(
        Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args, int priority
    ) = 0;

    /// Implements Runtime::fuse().
    virtual void
    fuse(FusedCodelet& codelet, int priority, const std::function<void()>& submit_tasks) = 0;

    /// Implements Runtime::prefetch().
    virtual void prefetch(const Handle& handle) = 0;

    /// Implements Runtime::send().
    virtual void send(std::span<Handle* const> handles, const ProblemPart& part) = 0;

    /// Waits for every submitted task; the records are complete afterwards.
    virtual void wait() = 0;

    /// Implements Runtime::wait_for_all_but().
    virtual void wait_for_all_but(std::size_t n) = 0;

    /// Waits for every submitted task and drops what the tasks threw.
    virtual void abandon() noexcept = 0;

    /// Number of tasks submitted so far.
    [[nodiscard]] std::size_t n_tasks() const { return n_tasks_; }

    /// Implements Runtime::record_details().
    virtual void record_details() { tracker_.emplace(); }

    /// Drops what is known of earlier tasks, whose records were cleared.
    virtual void forget_tasks() {
        if (tracker_) {
            tracker_->forget();
        }
    }

    /// Whether copies between memories are recorded.
    [[nodiscard]] virtual bool records_transfers() const { return false; }

protected:
    void count_task() { ++n_tasks_; }

    [[nodiscard]] std::optional<TaskTracker>& tracker() { return tracker_; }

private:
    std::size_t n_tasks_ = 0;
    std::optional<TaskTracker> tracker_; ///< empty unless records have details
};

/// Makes the executor of a session.
/// \param session that `execution` started, which must outlive the executor
/// \param records where records are appended; null if none are wanted
[[nodiscard]] std::unique_ptr<Executor>
make_executor(Execution execution, Session& session, TaskRecords* records);

} // namespace starfmm
