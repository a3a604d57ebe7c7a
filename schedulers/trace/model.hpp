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
    std::string name; ///< without the "starfmm_" of its tasks
    unsigned color;   ///< 0xrrggbb
};

struct TraceWorker {
    std::string name;
    bool is_cuda;
};

/// A task within a fused task.
struct TraceTaskPart {
    std::string name;
    double work;
};

/// Times are in seconds from the first start on; only those of the submission may be negative.
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

/// Tasks in the order of their submission.
struct Trace {
    std::string scheduler;
    std::size_t transferred_bytes = 0;    ///< between memories
    std::vector<TraceOperator> operators; ///< in the order of their first tasks
    std::vector<TraceWorker> workers;
    std::vector<TraceTask> tasks;
};

/// Of a task's codelet, without the "starfmm_" of its name.
[[nodiscard]] std::string short_name(const Codelet& codelet);

/// Of the runtime's records. They tell dependencies, groups and causes of waiting only with
/// Runtime::record_details(). O(records + dependencies).
[[nodiscard]] Trace trace_of(const Runtime& runtime);

/// From the first start to the last end, in seconds; 0 without tasks.
[[nodiscard]] double makespan_of(const Trace& trace);

} // namespace starfmm
