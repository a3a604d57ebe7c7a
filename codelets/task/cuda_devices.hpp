// SPDX-License-Identifier: BSD-3-Clause
// CUDA devices of this machine and their memory, for code that no CUDA compiler sees. There are two
// definitions, with CUDA and without.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace starfmm {

/// Returns the number of devices that CUDA can use; 0 without a driver, and in builds without CUDA.
[[nodiscard]] int n_cuda_devices();

/// Returns the name that device `device` has for itself, such as "NVIDIA H200".
/// \throws CudaError if there is no such device
[[nodiscard]] std::string cuda_device_name(int device);

/// Returns the bytes of memory that device `device` has.
/// \throws CudaError if there is no such device
[[nodiscard]] std::size_t cuda_device_memory(int device);

/// Checks the code for a device.
/// \throws CudaError, naming the cure, unless the library holds code that device `device` can run
void check_device_code(int device);

/// Returns how often devices have been reset, with all that was kept in their memory.
[[nodiscard]] unsigned device_generation() noexcept;

/// Is to be called when devices have been reset, as StarPU does where it is shut down.
void count_device_reset() noexcept;

/// Allocates memory of the first device, for bodies that run in order on the default stream, as
/// everything below does. Memory that is freed is kept for later allocations.
/// \throws CudaError if there is no device, or not so much memory
[[nodiscard]] void* allocate_on_device(std::size_t n_bytes);
void free_on_device(void* data) noexcept;

/// Copies to the device, and returns before the copy is done if `from` is page-locked.
void copy_to_device(void* to, const void* from, std::size_t n_bytes);

/// Copies from the device, and waits for the data.
void copy_from_device(void* to, const void* from, std::size_t n_bytes);

/// Waits for everything on the default stream.
void wait_for_device();

/// Waits for everything on device `device`, whatever its streams.
/// \throws CudaError
void wait_for_device(int device);

/// Whether GPUs reach this host memory directly; false without a device.
[[nodiscard]] bool is_page_locked(const void* data);

/// A page-lock of the caller's memory while this object lives, so that GPUs copy the memory at the
/// full rate of the link. Locking takes longer than many an evaluation: it is for arrays that are
/// used again and again. Nothing happens without a device.
class PageLock {
public:
    /// Locks memory; what is page-locked already stays so.
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

/// Copies between the caller's pageable memory and a device, which take turns with copies through
/// page-locked pieces: several cores fill or empty a piece while others are on the link.
class StagedCopies {
public:
    /// \throws CudaError, StarpuError if there is no such device, or no page-locked memory
    explicit StagedCopies(int device);
    StagedCopies(const StagedCopies&) = delete;
    StagedCopies& operator=(const StagedCopies&) = delete;
    ~StagedCopies();

    /// Copies to the device, and returns when all is there.
    void to_device(void* to, const void* from, std::size_t n_bytes);

    /// Copies from the device, on which nobody may still write.
    void from_device(void* to, const void* from, std::size_t n_bytes);

private:
    struct Piece;
    int device_;
    std::vector<Piece> pieces_;
};

/// A point in the work of a stream.
class DeviceMark {
public:
    /// Marks the point that a stream has come to.
    /// \param stream  a cudaStream_t of the current device; null: the default stream
    /// \throws CudaError
    explicit DeviceMark(void* stream = nullptr);
    DeviceMark(DeviceMark&& other) noexcept;
    DeviceMark& operator=(DeviceMark&& other) noexcept;
    ~DeviceMark();

    /// Returns a mark that device `device` has just reached, whatever its streams do.
    /// \throws CudaError
    [[nodiscard]] static DeviceMark reached(int device);

    [[nodiscard]] int device() const;

    /// Waits until the mark is reached.
    /// \throws CudaError
    void wait() const;

    /// Returns seconds of the device's clock; both marks, of one device, must have been reached.
    [[nodiscard]] double seconds_since(const DeviceMark& start) const;

private:
    struct Event;
    std::unique_ptr<Event> event_;
};

} // namespace starfmm
