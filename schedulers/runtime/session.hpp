// SPDX-License-Identifier: BSD-3-Clause
// How StarPU is started: workers, streams, policy, memory.
#pragma once

#include "core/options.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace starfmm {

/// A set of StarPU's workers, one bit each.
using WorkerSet = std::vector<std::uint32_t>;

/// What a runtime works with.
struct Session {
    int n_cpu = 1;  ///< CPU workers
    int n_cuda = 0; ///< GPUs
    std::string policy;
    std::size_t gpu_memory = 0; ///< bytes that a task's data may take of a GPU
    std::size_t memory = std::numeric_limits<std::size_t>::max(); ///< bytes of all tasks' data
    int gpu_node = -1;           ///< memory node of the only GPU, if it works alone
    bool has_spare_core = false; ///< GPUs alone work, and a core is left beside their drivers
    std::vector<WorkerSet> gpu_workers; ///< of each GPU, if there are several and nothing else
    std::string notice;                 ///< what the user should know; mostly empty
};

/// \throws InputError naming the option if `wanted` exceeds what is `available`
void check_workers(const char* name, int wanted, int available, const char* what);

/// Starts StarPU; the caller shuts it down. What the options leave open, StarPU's variables of the
/// environment decide; the session says who really works.
/// \throws InputError for an unknown policy or workers that the machine does not have;
///         StarpuError if StarPU does not start, or has been started; CudaError if a GPU can run
///         none of the library's code
[[nodiscard]] Session start_starpu(const RuntimeOptions& options);

} // namespace starfmm
