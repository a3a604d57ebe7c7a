// SPDX-License-Identifier: BSD-3-Clause
// The records behind TransferLog: StarPU's methods of data have no place for a pointer to them.
#pragma once

#include "codelets/recording/transfer_log.hpp"
#include "codelets/task/cuda_devices.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace starfmm {

/// The data of a copy that are known until it has ended.
struct CopyRecord {
    Transfer transfer;                    ///< copy, with an end of 0 until it is known
    std::optional<DeviceMark> begin = {}; ///< marks on CUDA's streams
    std::optional<DeviceMark> end = {};
};

/// The records, written by workers and by threads of OpenCL's.
class CopyRecords {
public:
    [[nodiscard]] bool is_on() const { return is_on_; }

    /// Forgets all, and records from now on.
    void begin();

    void end();

    /// Adds a copy that begins. \returns its number for ended()
    std::uint64_t add(CopyRecord record);

    /// Notes the end of a copy that may have been forgotten.
    void ended(std::uint64_t number, double time_s);

    void note_memory(unsigned memory);

    /// Keeps what went wrong where nothing may be thrown: transfers() throws it.
    void fail(std::exception_ptr error);

    [[nodiscard]] std::vector<Transfer> transfers();
    [[nodiscard]] std::vector<MemoryUse> memory_uses();

private:
    std::atomic<bool> is_on_ = false;
    std::mutex mutex_;
    std::uint64_t n_copies_ = 0;
    std::map<std::uint64_t, CopyRecord> copies_;
    std::vector<MemoryUse> memory_uses_;
    std::exception_ptr error_;
};

/// Returns the records of this process.
[[nodiscard]] CopyRecords& copy_records();

/// Returns StarPU's methods for vectors, recorded.
[[nodiscard]] const starpu_data_copy_methods& recorded_copies();

/// Adds the methods of copies from and to GPUs, whose stream StarPU tells; only in builds with
/// CUDA.
void add_cuda_copies(starpu_data_copy_methods& methods);

/// Adds the methods of copies from and to OpenCL devices, which have an event; only in builds with
/// OpenCL.
void add_opencl_copies(starpu_data_copy_methods& methods);

/// Returns the size of a vector in bytes.
[[nodiscard]] inline std::size_t size_of(const starpu_vector_interface& vector) {
    return vector.nx * vector.elemsize;
}

} // namespace starfmm
