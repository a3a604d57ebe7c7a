// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/records.hpp"

#include <starpu.h>
#include <time.h>

#include <chrono>
#include <utility>

namespace starfmm {

namespace {

double seconds(const timespec& t) {
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void add_part_times(TaskDetails& details, DeviceClocks& clocks) {
    if (details.part_times == nullptr) {
        return;
    }
    const std::vector<PartTime> times = details.part_times->times(clocks);
    for (std::size_t i = 0; i < details.parts.size(); ++i) {
        details.parts[i].time = times[i];
    }
    details.part_times.reset();
}

/// What is known once a task has ended.
void add_times(TaskDetails& details, starpu_task& task, const starpu_profiling_task_info& info) {
    const bool on_cuda = starpu_worker_get_type(info.workerid) == STARPU_CUDA_WORKER;
    details.implementation = static_cast<int>(starpu_task_get_implementation(&task));
    if (task.cl != nullptr && task.cl->model != nullptr && task.cl->model->symbol != nullptr) {
        details.symbol = task.cl->model->symbol;
    }
    details.predicted_s = predicted_seconds(task, on_cuda, details.implementation);
    details.submit_s = seconds(info.submit_time);
    details.ready_s = seconds(info.push_start_time);
    details.fetch_s = seconds(info.acquire_data_start_time);
    details.fetched_s = seconds(info.acquire_data_end_time);
}

} // namespace

double record_clock() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

double processor_clock() {
    timespec time{};
    static_cast<void>(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)); // which Linux always has
    return seconds(time);
}

void StarpuRecords::collect(TaskRecords& records) {
    DeviceClocks clocks;
    for (Running& running : running_) {
        starpu_task* task = running.task;
        if (const starpu_profiling_task_info* info = task->profiling_info) {
            add_times(running.details, *task, *info);
            add_part_times(running.details, clocks);
            records.push_back(
                {running.codelet,
                 info->workerid,
                 seconds(info->start_time),
                 seconds(info->end_time),
                 task->flops,
                 std::move(running.details)}
            );
        }
        starpu_task_destroy(task);
    }
    running_.clear();
}

void StarpuRecords::drop() {
    for (const Running& running : running_) {
        starpu_task_destroy(running.task);
    }
    running_.clear();
}

void DeviceRecords::begin() {
    marks_.emplace_back();
}

void DeviceRecords::end(const Codelet& codelet, double work, TaskDetails details) {
    marks_.emplace_back();
    launched_.push_back({&codelet, 0, 0, 0, work, std::move(details)});
}

/// What is copied between two tasks is not theirs.
void DeviceRecords::collect(TaskRecords& records) {
    for (std::size_t i = 0; i < launched_.size(); ++i) {
        launched_[i].start_s = marks_[2 * i].seconds_since(marks_.front());
        launched_[i].end_s = marks_[2 * i + 1].seconds_since(marks_.front());
        records.push_back(launched_[i]);
    }
    launched_.clear();
    marks_.clear();
}

std::size_t transferred_bytes_of_starpu() {
    std::size_t bytes = 0;
    for (int bus = 0; bus < starpu_bus_get_count(); ++bus) {
        starpu_profiling_bus_info info{};
        if (starpu_bus_get_profiling_info(bus, &info) == 0) {
            bytes += static_cast<std::size_t>(info.transferred_bytes);
        }
    }
    return bytes;
}

} // namespace starfmm
