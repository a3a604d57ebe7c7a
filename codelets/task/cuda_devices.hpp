// SPDX-License-Identifier: BSD-3-Clause
// CUDA devices of this machine and their memory, for code that no CUDA compiler sees. Two
// definitions: with CUDA, and without.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace starfmm {

/// Devices that CUDA can use; 0 without a driver, and in builds without CUDA.
[[nodiscard]] int n_cuda_devices();

/// What device `device` calls itself, as "NVIDIA H200".
/// \throws CudaError if there is no such device
[[nodiscard]] std::string cuda_device_name(int device);

/// Bytes of memory that device `device` has.
/// \throws CudaError if there is no such device
[[nodiscard]] std::size_t cuda_device_memory(int device);

/// \throws CudaError, naming the cure, unless the library holds code that device `device` can run
void check_device_code(int device);

/// How often devices have been reset, with all that was kept in their memory.
[[nodiscard]] unsigned device_generation() noexcept;

/// To be called when they have: StarPU does so where it is shut down.
void count_device_reset() noexcept;

/// Memory of the first device, for bodies that run in order on the default stream, as everything
/// below does. What is freed is kept for later allocations.
/// \throws CudaError if there is no device, or not so much memory
[[nodiscard]] void* allocate_on_device(std::size_t n_bytes);
void free_on_device(void* data) noexcept;

/// Returns before the copy is done if `from` is page-locked.
void copy_to_device(void* to, const void* from, std::size_t n_bytes);

/// Waits for the data.
void copy_from_device(void* to, const void* from, std::size_t n_bytes);

/// Waits for everything on the default stream.
void wait_for_device();

/// Whether GPUs reach this host memory directly. False without a device.
[[nodiscard]] bool is_page_locked(const void* data);

/// Page-locks the caller's memory while it lives, so that GPUs copy it at the full rate of the
/// link. Locking takes longer than many an evaluation: for arrays that are used again and again.
/// Does nothing without a device.
class PageLock {
public:
    /// Memory that is page-locked already stays so.
    /// \throws CudaError if the system refuses
    PageLock(void* data, std::size_t n_bytes);
    PageLock(const PageLock&) = delete;
    PageLock& operator=(const PageLock&) = delete;
    PageLock(PageLock&& other) noexcept;
    PageLock& operator=(PageLock&& other) noexcept;
    ~PageLock();

private:
    void* data_ = nullptr;
};

/// A point in the work of a stream.
class DeviceMark {
public:
    /// \param stream a cudaStream_t of the current device; null: the default stream
    /// \throws CudaError
    explicit DeviceMark(void* stream = nullptr);
    DeviceMark(DeviceMark&& other) noexcept;
    DeviceMark& operator=(DeviceMark&& other) noexcept;
    ~DeviceMark();

    /// One that device `device` has just reached, whatever its streams do.
    /// \throws CudaError
    [[nodiscard]] static DeviceMark reached(int device);

    [[nodiscard]] int device() const;

    /// Until it is reached.
    /// \throws CudaError
    void wait() const;

    /// Seconds of the device's clock; both marks, of one device, must have been reached.
    [[nodiscard]] double seconds_since(const DeviceMark& start) const;

private:
    struct Event;
    std::unique_ptr<Event> event_;
};

} // namespace starfmm
