// SPDX-License-Identifier: BSD-3-Clause
// Memory that a CUDA body needs for one task, from a pool that keeps what is given back.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/kept_on_devices.cuh"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace starfmm {

/// Arrays one after the other in one piece of memory, which are first counted, then handed out.
class RoomParts {
public:
    explicit RoomParts(void* begin) : begin_(static_cast<std::byte*>(begin)) {}

    /// Returns the next array; null while counting.
    template <class T>
    T* take(std::size_t n) {
        constexpr std::size_t alignment = 256; // as cudaMalloc's
        const std::size_t at = used_;
        used_ += (n * sizeof(T) + alignment - 1) / alignment * alignment;
        return begin_ == nullptr ? nullptr : reinterpret_cast<T*>(begin_ + at);
    }

    [[nodiscard]] std::size_t bytes() const { return used_; }

private:
    std::byte* begin_;
    std::size_t used_ = 0;
};

/// Returns the pool of the current device, which keeps what is given back, so that later tasks need
/// not ask the driver again.
inline cudaMemPool_t task_pool() {
    static KeptOnDevices<int, cudaMemPool_t> pools;
    return pools.of(0, [] {
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = current_device();
        cudaMemPool_t pool = nullptr;
        check_cuda(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
        std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
        check_cuda(
            cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
            "cudaMemPoolSetAttribute"
        );
        return pool;
    });
}

/// The memory of one task, which its stream gives back when the task is done.
class TaskRoom {
public:
    explicit TaskRoom(std::size_t bytes) {
        const cudaError_t code = cudaMallocFromPoolAsync(&data_, bytes, task_pool(), cuda_stream());
        if (code == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError()); // told by data(), not by the next call
            data_ = nullptr;
            return;
        }
        check_cuda(code, "cudaMallocFromPoolAsync");
    }

    TaskRoom(const TaskRoom&) = delete;
    TaskRoom& operator=(const TaskRoom&) = delete;

    /// Gives the memory back, which fails only after an error that the next checked call reports.
    ~TaskRoom() {
        if (data_ != nullptr) {
            static_cast<void>(cudaFreeAsync(data_, cuda_stream()));
        }
    }

    /// Returns the memory; null if the device has not so much left.
    [[nodiscard]] void* data() const { return data_; }

private:
    void* data_ = nullptr;
};

} // namespace starfmm
