// SPDX-License-Identifier: BSD-3-Clause
// What a trace holds, whether it comes from a runtime or from a file.
#pragma once

#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starfmm {

struct TraceOperator {
    std::string name;         ///< without the "starfmm_" of its tasks
    unsigned color;           ///< 0xrrggbb
    std::string variant = {}; ///< "harmonic_double": kernel and precision, where they are known
};

struct TraceWorker {
    std::string name;
    bool is_cuda;
    std::string unit = {}; ///< "NVIDIA H200 ...": what it computes with, where that is known
};

/// A task within a fused task.
struct TraceTaskPart {
    std::string name;
    double work = 0;
    unsigned color = 0; ///< 0xrrggbb
    double start_s = 0; ///< within the task; as end_s 0 where it is not known
    double end_s = 0;
    bool is_aside = false; ///< on the second stream of a GPU's worker

    [[nodiscard]] bool is_timed() const { return end_s > start_s; }
};

/// Times are in seconds from the first start on, of a task or of a transfer; only those of the
/// submission may be negative.
struct TraceTask {
    std::size_t op = 0;     ///< index of its operator
    std::size_t worker = 0; ///< index
    double start_s = 0;
    double end_s = 0;
    double work = 0; ///< pairs, shifts times order squared, or points
    int level = 0;   ///< of the root of its group's boxes; 0: of the whole problem
    std::uint64_t group = 0;
    int implementation = 0; ///< CUDA implementation that ran
    double submit_s = 0;    ///< when the caller submitted it
    double ready_s = 0;     ///< when all that it waits for had ended
    double fetch_s = 0;     ///< when its worker began to fetch its data
    double fetched_s = 0;   ///< and had them
    double predicted_s = 0; ///< duration that the scheduler expected; 0: it expected nothing
    std::vector<std::size_t> after;   ///< indices, all smaller than its own, of those it waits for
    std::vector<TraceTaskPart> parts; ///< of a fused task
};

/// A copy of an array from one memory to another.
struct TraceTransfer {
    std::size_t link = 0; ///< index
    std::size_t n_bytes = 0;
    double start_s = 0;
    double end_s = 0;
};

/// What StarPU holds of a memory from a time on.
struct TraceMemoryUse {
    std::size_t memory = 0; ///< index
    double time_s = 0;
    std::size_t n_bytes = 0;
};

/// Tasks in the order of their submission.
struct Trace {
    std::string scheduler;
    std::size_t transferred_bytes = 0; ///< between memories; where transfers are known, their sum
    bool has_transfers = false;        ///< whether they were recorded, one by one
    std::vector<std::string> links;    ///< "NUMA 0 -> CUDA 0"
    std::vector<TraceTransfer> transfers;    ///< of a link one after the other
    std::vector<std::string> memories;       ///< of devices
    std::vector<TraceMemoryUse> memory_uses; ///< in order of time
    std::vector<TraceOperator> operators;    ///< in the order of their first tasks
    std::vector<TraceWorker> workers;
    std::vector<TraceTask> tasks;
};

/// Of a task's codelet, without the "starfmm_" of its name.
[[nodiscard]] std::string short_name(const Codelet& codelet);

/// Of the runtime's records. They tell dependencies, groups and causes of waiting only with
/// Runtime::record_details(). O(records + dependencies).
[[nodiscard]] Trace trace_of(const Runtime& runtime);

/// From the first start to the last end, of tasks and of transfers, in seconds; 0 without either.
[[nodiscard]] double makespan_of(const Trace& trace);

} // namespace starfmm
