// SPDX-License-Identifier: BSD-3-Clause
// The model of a trace holds what a trace tells, whether it comes from a runtime or from a file.
#pragma once

#include "schedulers/runtime/runtime.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starfmm {

struct TraceOperator {
    std::string name;         ///< name without the "starfmm_" of its tasks
    unsigned color;           ///< 0xrrggbb
    std::string variant = {}; ///< "harmonic_double": kernel and precision, where they are known
};

struct TraceWorker {
    std::string name;
    bool is_cuda;
    /// "NVIDIA H200 ...": what the worker computes with, where that is known.
    std::string unit = {};
};

/// A task within a fused task.
struct TraceTaskPart {
    std::string name;
    double work = 0;
    unsigned color = 0; ///< 0xrrggbb
    double start_s = 0; ///< start within the task; 0, as is end_s, where it is not known
    double end_s = 0;
    bool is_aside = false; ///< whether it ran on the second stream of a GPU's worker

    [[nodiscard]] bool is_timed() const { return end_s > start_s; }
};

/// A task. Times are in seconds from the first start of a task or transfer; only times of
/// submission may be negative.
struct TraceTask {
    std::size_t op = 0;     ///< index of its operator
    std::size_t worker = 0; ///< index of its worker
    double start_s = 0;
    double end_s = 0;
    double work = 0; ///< pairs, shifts times order squared, or points
    int level = 0;   ///< level of the root of its group's boxes; 0: the whole problem
    std::uint64_t group = 0;
    int implementation = 0; ///< CUDA implementation that ran
    double submit_s = 0;    ///< when the caller submitted it
    double ready_s = 0;     ///< when all tasks that it waits for had ended
    double fetch_s = 0;     ///< when its worker began to fetch its data
    double fetched_s = 0;   ///< when its worker had its data
    double predicted_s = 0; ///< duration that the scheduler expected; 0: it expected nothing
    /// Indices of the tasks that it waits for, all smaller than its own.
    std::vector<std::size_t> after;
    std::vector<TraceTaskPart> parts; ///< parts of a fused task
};

/// A copy of an array from one memory to another.
struct TraceTransfer {
    std::size_t link = 0; ///< index of its link
    std::size_t n_bytes = 0;
    double start_s = 0;
    double end_s = 0;
};

/// Bytes that StarPU holds of a memory from a time on.
struct TraceMemoryUse {
    std::size_t memory = 0; ///< index of the memory
    double time_s = 0;
    std::size_t n_bytes = 0;
};

/// A trace, with its tasks in the order of their submission.
struct Trace {
    std::string scheduler;
    /// Bytes moved between memories; where transfers are known, their sum.
    std::size_t transferred_bytes = 0;
    bool has_transfers = false;              ///< whether transfers were recorded, one by one
    std::vector<std::string> links;          ///< "NUMA 0 -> CUDA 0"
    std::vector<TraceTransfer> transfers;    ///< transfers; those of a link do not overlap
    std::vector<std::string> memories;       ///< memories of devices
    std::vector<TraceMemoryUse> memory_uses; ///< uses in order of time
    std::vector<TraceOperator> operators;    ///< operators in the order of their first tasks
    std::vector<TraceWorker> workers;
    std::vector<TraceTask> tasks;
};

/// Returns the name of a task's codelet without its "starfmm_".
[[nodiscard]] std::string short_name(const Codelet& codelet);

/// Makes the trace of the runtime's records. Dependencies, groups and causes of waiting are known
/// only with Runtime::record_details(). O(records + dependencies).
[[nodiscard]] Trace trace_of(const Runtime& runtime);

/// Seconds from the first start to the last end of tasks and transfers; 0 without either.
[[nodiscard]] inline double makespan_of(const Trace& trace) {
    double end = 0;
    for (const TraceTask& task : trace.tasks) {
        end = std::max(end, task.end_s);
    }
    for (const TraceTransfer& transfer : trace.transfers) {
        end = std::max(end, transfer.end_s);
    }
    return end;
}

} // namespace starfmm
