// SPDX-License-Identifier: BSD-3-Clause
// What ran where and when.
#pragma once

#include "codelets/task/codelet.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "schedulers/runtime/task_details.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace starfmm {

/// When and where one task ran.
struct TaskRecord {
    const Codelet* codelet;
    int worker;     ///< StarPU worker; 0 without a runtime
    double start_s; ///< seconds on a clock that all workers share
    double end_s;
    double work; ///< TaskArgs::work
    TaskDetails details = {};
    double processor_s = 0; ///< processor time, where the caller executed it; else 0

    /// Seconds that the task itself took. Where the caller executed it, those in which others had
    /// his core do not count.
    [[nodiscard]] double own_s() const { return processor_s > 0 ? processor_s : end_s - start_s; }
};

using TaskRecords = std::vector<TaskRecord>;

/// Seconds of the clock on which the caller's tasks are recorded.
[[nodiscard]] double record_clock();

/// Seconds for which this thread has had a processor.
[[nodiscard]] double processor_clock();

/// Records of StarPU's tasks, which tell when they ran once they have been waited for.
class StarpuRecords {
public:
    /// \param task submitted, and not destroyed by StarPU
    void keep(const Codelet& codelet, starpu_task* task, TaskDetails details) {
        running_.push_back({&codelet, task, std::move(details)});
    }

    /// Appends those of the tasks kept, all of which have ended, and destroys these.
    void collect(TaskRecords& records);

    /// Destroys those tasks, which have ended, unread.
    void drop();

private:
    struct Running {
        const Codelet* codelet;
        starpu_task* task;
        TaskDetails details;
    };

    std::vector<Running> running_;
};

/// Records of bodies on a GPU's default stream.
class DeviceRecords {
public:
    /// Marks the stream: begin() before a body is launched, end() after it.
    void begin();
    void end(const Codelet& codelet, double work, TaskDetails details);

    /// Appends those of the bodies launched, all of which have ended.
    void collect(TaskRecords& records);

private:
    std::vector<DeviceMark> marks_; ///< before and after each
    TaskRecords launched_;
};

/// Bytes that moved between memories since the last call, or since StarPU started, as its bus
/// profiling counts them.
[[nodiscard]] std::size_t transferred_bytes_of_starpu();

} // namespace starfmm
