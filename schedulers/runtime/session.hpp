// SPDX-License-Identifier: BSD-3-Clause
// How StarPU is started and stopped: workers, streams, policy, memory.
#pragma once

#include "core/options.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace starfmm {

/// Who executes tasks.
enum class Execution {
    tasks,        ///< StarPU's workers
    in_order,     ///< the caller, at once, by the CPU bodies: the reference for what StarPU costs
    in_order_cuda ///< the first GPU, on one stream, by the CUDA bodies: likewise
};

struct WorkerInfo {
    std::string name;
    bool is_cuda;
};

/// Who will execute.
struct WorkerCounts {
    int n_cpu = 1;
    int n_cuda = 0;
};

/// A set of StarPU's workers, one bit each.
using WorkerSet = std::vector<std::uint32_t>;

/// Shuts StarPU down at its end.
class StarpuStop {
public:
    StarpuStop() = default;
    StarpuStop(const StarpuStop&) = delete;
    StarpuStop& operator=(const StarpuStop&) = delete;
    ~StarpuStop();
};

/// What a runtime works with.
struct Session {
    int n_cpu = 1;    ///< CPU workers
    int n_cuda = 0;   ///< GPUs
    int n_opencl = 0; ///< OpenCL devices
    std::string policy;
    std::size_t gpu_memory = 0; ///< bytes that a task's data may take of a GPU
    std::size_t memory = std::numeric_limits<std::size_t>::max(); ///< bytes of all tasks' data
    std::vector<unsigned> gpu_nodes;                              ///< memory node of each GPU
    int n_streams = 1;           ///< of a GPU, each a worker to StarPU
    int n_cores = 1;             ///< that this process may use
    bool has_spare_core = false; ///< GPUs work, and a core is left beside those who are engaged
    bool leaves_core = false;    ///< none is, and one of the CPU workers may rest instead
    std::vector<WorkerSet> gpu_workers; ///< of each GPU, if there are several
    std::vector<WorkerSet> gpu_streams; ///< the first worker of each GPU, if there are several
    WorkerSet one_stream;               ///< all workers, but of each GPU only the first
    WorkerCounts engaged; ///< who is offered the tasks that are submitted from here on
    std::vector<WorkerInfo> workers;
    std::string notice;                     ///< what the user should know; mostly empty
    std::unique_ptr<StarpuStop> is_running; ///< null where the caller executes
};

/// \throws InputError naming the option if `wanted` exceeds what is `available`
void check_workers(const char* name, int wanted, int available, const char* what);

/// Starts what `execution` needs. What the options leave open, StarPU's variables of the
/// environment decide; the session says who really works. \param options workers and scheduler: of
/// no effect in order \throws InputError for an unknown policy or workers that the machine does not
/// have;
///         StarpuError if StarPU does not start, or has been started; CudaError if a GPU can run
///         none of the library's code
[[nodiscard]] Session start_session(const RuntimeOptions& options, Execution execution);

/// Offers the tasks that follow to some of the workers: to all, where these are of one kind, or the
/// team is not settled.
void engage(Session& session, Team team);

/// For arrays that exist at a time: with GPUs, tasks would wait for ever for memory that never
/// gets free; without, the system would end the process.
/// \throws MemoryError if `n_bytes` exceed what GPUs and host have, or what the host still has
void check_memory(const Session& session, std::size_t n_bytes);

} // namespace starfmm
