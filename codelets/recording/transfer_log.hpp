// SPDX-License-Identifier: BSD-3-Clause
// What StarPU copies between memories and allocates in them, recorded by the arrays' own methods:
// its bus counters know no times, and its FxT traces exist only after it has been shut down.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starfmm {

/// One copy of an array. Times are in seconds on StarPU's clock: of CUDA's copies those in which
/// the stream worked on it, of OpenCL's from the call that asked for it until it was done.
struct Transfer {
    unsigned from; ///< StarPU's number of a memory
    unsigned to;
    std::size_t n_bytes;
    double start_s;
    double end_s;
};

/// What StarPU holds of a memory from a time on, data that it keeps for later use included.
struct MemoryUse {
    unsigned memory; ///< StarPU's number
    double time_s;
    std::size_t n_bytes;
};

/// Records while it lives, of the arrays that are registered meanwhile: others are StarPU's own
/// vectors, and cost nothing. One at a time; StarPU is running all the time.
class TransferLog {
public:
    TransferLog();
    TransferLog(const TransferLog&) = delete;
    TransferLog& operator=(const TransferLog&) = delete;
    ~TransferLog();

    /// Forgets what was recorded.
    static void forget();

    /// All that have begun, by their start. Waits for those that GPUs have not ended.
    /// \throws CudaError
    [[nodiscard]] static std::vector<Transfer> transfers();

    /// Of all memories but the host's, in order of time; each begins with what it held when the
    /// log began, or was made to forget.
    [[nodiscard]] static std::vector<MemoryUse> memory_uses();
};

/// "NUMA 0", "CUDA 0": StarPU's name of a memory.
[[nodiscard]] std::string memory_name(unsigned memory);

/// As starpu_vector_data_register; StarPU allocates up to a 16th more than asked.
/// \param data null where StarPU allocates
void register_vector(
    starpu_data_handle_t& handle,
    int home,
    std::uintptr_t data,
    std::size_t n,
    std::size_t value_size
);

} // namespace starfmm
