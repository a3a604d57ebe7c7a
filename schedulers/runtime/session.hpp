// SPDX-License-Identifier: BSD-3-Clause
// This header starts and stops StarPU: workers, streams, policy, memory.
#pragma once

#include "core/options.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace starfmm {

/// What executes tasks.
enum class Execution {
    tasks,        ///< StarPU's workers
    in_order,     ///< the caller, at once, by the CPU bodies: the reference for what StarPU costs
    in_order_cuda ///< the first GPU, at once, on one stream, by the CUDA bodies: the same for a GPU
};

struct WorkerInfo {
    std::string name;
    bool is_cuda;
};

/// Numbers of workers that will execute tasks.
struct WorkerCounts {
    int n_cpu = 1;
    int n_cuda = 0;
};

/// A set of StarPU's workers, one bit each.
using WorkerSet = std::vector<std::uint32_t>;

/// Shuts StarPU down when it is destroyed.
class StarpuStop {
public:
    StarpuStop() = default;
    StarpuStop(const StarpuStop&) = delete;
    StarpuStop& operator=(const StarpuStop&) = delete;
    ~StarpuStop();
};

/// Everything that a runtime works with.
struct Session {
    int n_cpu = 1;    ///< CPU workers
    int n_cuda = 0;   ///< GPUs
    int n_opencl = 0; ///< OpenCL devices
    std::string policy;
    std::size_t gpu_memory = 0; ///< bytes of GPU memory that a task's data may take
    std::size_t memory = std::numeric_limits<std::size_t>::max(); ///< bytes of all tasks' data
    std::vector<unsigned> gpu_nodes;                              ///< memory node of each GPU
    int n_streams = 1;           ///< streams of a GPU, each a worker to StarPU
    int n_cores = 1;             ///< cores that this process may use
    bool has_spare_core = false; ///< GPUs work, and a core is left beside the engaged workers
    bool leaves_core = false;    ///< no core is left, and one of the CPU workers may rest instead
    std::vector<WorkerSet> gpu_workers; ///< workers of each GPU, if there are several
    std::vector<WorkerSet> gpu_streams; ///< the first worker of each GPU, if there are several
    WorkerSet one_stream;               ///< all workers, but only the first one of each GPU
    WorkerCounts engaged; ///< workers that are offered the tasks submitted from here on
    std::vector<WorkerInfo> workers;
    std::string notice;                     ///< what the user should know; mostly empty
    std::unique_ptr<StarpuStop> is_running; ///< null where the caller executes
};

/// Checks the number of workers that an option asks for.
/// \throws InputError naming the option if `wanted` exceeds what is `available`
void check_workers(const char* name, int wanted, int available, const char* what);

/// Starts what `execution` needs. StarPU's environment variables decide what the options leave
/// open; the session says who really works.
/// \param options workers and scheduler, which have no effect in order
/// \throws InputError for an unknown policy or workers that the machine does not have
/// \throws StarpuError if StarPU does not start, or has been started
/// \throws CudaError if a GPU can run none of the library's code
[[nodiscard]] Session start_session(const RuntimeOptions& options, Execution execution);

/// Offers the tasks that follow to some of the workers. All workers are engaged where they are of
/// one kind, or where the team is not settled.
void engage(Session& session, Team team);

/// Checks that there is room for arrays that exist at the same time. Without this check, tasks on
/// GPUs would wait for ever for memory that never gets free, and on cores the system would end the
/// process.
/// \throws MemoryError if `n_bytes` exceed what GPUs and host have, or what the host still has
void check_memory(const Session& session, std::size_t n_bytes);

} // namespace starfmm
