// SPDX-License-Identifier: BSD-3-Clause
// Task details are what traces tell of a task besides when and where it ran.
#pragma once

#include "codelets/recording/part_times.hpp"
#include "codelets/task/codelet.hpp"
#include "schedulers/runtime/dependencies.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starfmm {

/// A task within a fused task.
struct TaskPart {
    const Codelet* codelet;
    double work;
    PartTime time = {}; ///< times on the record's clock
};

/// Details of a task, empty unless Runtime::record_details() was called. Times are on the record's
/// clock, and 0 where a task ran without a runtime.
struct TaskDetails {
    std::size_t id = 0; ///< number among all tasks submitted
    int level = 0;      ///< level of the root of the group's boxes; 0: the whole problem
    std::uint64_t group = 0;
    std::string symbol;     ///< symbol of the performance model: operator, kernel and precision
    int implementation = 0; ///< CUDA implementation that ran
    double submit_s = 0;    ///< when the caller submitted it
    double ready_s = 0;     ///< when all tasks that it waits for had ended
    double fetch_s = 0;     ///< when its worker began to fetch its data
    double fetched_s = 0;   ///< when its worker had its data
    double predicted_s = 0; ///< duration that the scheduler expected; 0: it expected nothing
    std::vector<std::size_t> after;        ///< ids of the tasks that it waits for
    std::vector<TaskPart> parts;           ///< parts of a fused task
    std::shared_ptr<PartTimes> part_times; ///< times that the body writes
};

/// Makes the details of tasks; it is called for each task in the order of submission.
class TaskTracker {
public:
    /// Begins a fused task, whose parts follow; the parts of a fused task that was given up are
    /// dropped.
    void begin_parts() { parts_.clear(); }

    /// Adds a part of the fused task that is submitted next.
    void add_part(const Codelet& codelet, const TaskArgs& args);

    /// Sets the times of the parts, which the body of the fused task will write.
    void set_part_times(std::shared_ptr<PartTimes> times) { part_times_ = std::move(times); }

    /// Makes the details of a task of StarPU before it is submitted.
    /// \param args arguments of the task; those of the first part replace them for a fused task
    TaskDetails submitted(const starpu_task& task, const TaskArgs& args);

    /// Makes the details of a body that was called without a runtime.
    TaskDetails
    called(const Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args);

    /// Forgets earlier tasks, so that later ones are not said to wait for them.
    void forget() { dependencies_.clear(); }

private:
    TaskDetails details_of(const TaskArgs& args, std::span<const DatumAccess> accesses);

    Dependencies dependencies_;
    std::size_t n_tasks_ = 0;
    std::uintptr_t n_data_ = 0;
    TaskArgs first_part_;
    std::vector<TaskPart> parts_;
    std::shared_ptr<PartTimes> part_times_;
};

} // namespace starfmm
