// SPDX-License-Identifier: BSD-3-Clause
// Copies between memories and allocations in them by StarPU, recorded by the arrays' own methods:
// StarPU's bus counters know no times, and its FxT traces exist only after it has been shut down.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starfmm {

/// One copy of an array. Times are in seconds on StarPU's clock: for CUDA those in which the stream
/// worked on the copy, for OpenCL from the call that asked for it until it was done.
struct Transfer {
    unsigned from; ///< StarPU's number of a memory
    unsigned to;
    std::size_t n_bytes;
    double start_s;
    double end_s;
};

/// The bytes that StarPU holds of a memory from a time on, data that it keeps for later use
/// included.
struct MemoryUse {
    unsigned memory; ///< StarPU's number
    double time_s;
    std::size_t n_bytes;
};

/// A log that records while it lives the arrays that are registered meanwhile: others are StarPU's
/// own vectors, and cost nothing. There is one log at a time, and StarPU is running all the time.
class TransferLog {
public:
    TransferLog();
    TransferLog(const TransferLog&) = delete;
    TransferLog& operator=(const TransferLog&) = delete;
    ~TransferLog();

    /// Forgets what was recorded.
    static void forget();

    /// Returns all copies that have begun, by their start, and waits for those that GPUs have not
    /// ended.
    /// \throws CudaError
    [[nodiscard]] static std::vector<Transfer> transfers();

    /// Returns the uses of all memories but the host's, in order of time; each memory begins with
    /// what it held when the log began, or was made to forget.
    [[nodiscard]] static std::vector<MemoryUse> memory_uses();
};

/// Returns StarPU's name of a memory, such as "NUMA 0" or "CUDA 0".
[[nodiscard]] std::string memory_name(unsigned memory);

/// Registers a vector as starpu_vector_data_register does; StarPU allocates up to a 16th more than
/// asked.
/// \param data  null where StarPU allocates
void register_vector(
    starpu_data_handle_t& handle,
    int home,
    std::uintptr_t data,
    std::size_t n,
    std::size_t value_size
);

} // namespace starfmm
