// SPDX-License-Identifier: BSD-3-Clause
// CUDA devices in a build with CUDA.
#include "codelets/cuda/cuda_check.cuh"
#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/memory/pinned_buffer.hpp"
#include "core/backends.hpp"
#include "core/parallel_copy.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace starfmm {

namespace {

std::atomic<unsigned> n_device_resets = 0;

/// Has memory of the default pool go back to the system only when the process ends.
void keep_freed_memory() {
    cudaMemPool_t pool = nullptr;
    check_cuda(cudaDeviceGetDefaultMemPool(&pool, 0), "cudaDeviceGetDefaultMemPool");
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    check_cuda(
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
        "cudaMemPoolSetAttribute"
    );
}

cudaDeviceProp properties_of(int device) {
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    return properties;
}

/// A device for the calling thread, which has the one before when this object dies.
class CurrentDevice {
public:
    explicit CurrentDevice(int device) {
        check_cuda(cudaGetDevice(&before_), "cudaGetDevice");
        check_cuda(cudaSetDevice(device), "cudaSetDevice");
    }

    CurrentDevice(const CurrentDevice&) = delete;
    CurrentDevice& operator=(const CurrentDevice&) = delete;

    // Fails only after an error that a checked call has reported.
    ~CurrentDevice() { static_cast<void>(cudaSetDevice(before_)); }

private:
    int before_ = 0;
};

/// A kernel that tells of the whole library, compiled alike: a device has code for both or neither.
__global__ void code_kernel() {}

/// Returns the code that a device must have, or null in a build for emulated devices, which has
/// none that a real one could run.
const void* code_of_this_build() {
    return with_cuda_bodies ? reinterpret_cast<const void*>(code_kernel) : nullptr;
}

/// Returns the compute capabilities that the library was compiled for, as "8.0, 9.0".
std::string compiled_capabilities() {
    constexpr int tenths = 10; // of the numbers that the compiler gives, as 890
    std::string list;
    for (const int architecture : {__CUDA_ARCH_LIST__}) {
        list += list.empty() ? "" : ", ";
        list += std::to_string(architecture / (tenths * tenths)) + "." +
                std::to_string(architecture / tenths % tenths);
    }
    return list;
}

/// Whether an error tells of missing code: none at all, or none that the driver can translate.
bool is_missing_code(cudaError_t code) {
    return code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
           code == cudaErrorUnsupportedPtxVersion || code == cudaErrorJitCompilerNotFound;
}

} // namespace

unsigned device_generation() noexcept {
    return n_device_resets;
}

void count_device_reset() noexcept {
    ++n_device_resets;
}

int n_cuda_devices() {
    int n = 0;
    // Fails where there is no driver or no device: then there is none to use.
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

std::string cuda_device_name(int device) {
    return properties_of(device).name;
}

std::size_t cuda_device_memory(int device) {
    return properties_of(device).totalGlobalMem;
}

void check_device_code(int device) {
    int former = 0;
    cudaFuncAttributes attributes{};
    check_cuda(cudaGetDevice(&former), "cudaGetDevice");
    check_cuda(cudaSetDevice(device), "cudaSetDevice");
    const cudaError_t code = cudaFuncGetAttributes(&attributes, code_of_this_build());
    check_cuda(cudaSetDevice(former), "cudaSetDevice");
    if (!is_missing_code(code)) {
        check_cuda(code, "cudaFuncGetAttributes");
        return;
    }
    static_cast<void>(cudaGetLastError()); // told here, not by the next call
    const cudaDeviceProp gpu = properties_of(device);
    const std::string major = std::to_string(gpu.major);
    const std::string minor = std::to_string(gpu.minor);
    throw CudaError(
        "GPU " + std::to_string(device) + " (" + gpu.name + ", compute capability " + major + "." +
        minor + ") can run none of this build's code, which is for " + compiled_capabilities() +
        ": build with -DCMAKE_CUDA_ARCHITECTURES=" + major + minor + ", or work with gpus = 0"
    );
}

void* allocate_on_device(std::size_t n_bytes) {
    static const bool keeps = (keep_freed_memory(), true);
    static_cast<void>(keeps);
    void* data = nullptr;
    check_cuda(cudaMallocAsync(&data, n_bytes, nullptr), "cudaMallocAsync");
    return data;
}

void free_on_device(void* data) noexcept {
    // Fails only after an error that the next checked call reports.
    static_cast<void>(cudaFreeAsync(data, nullptr));
}

void copy_to_device(void* to, const void* from, std::size_t n_bytes) {
    check_cuda(
        cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyHostToDevice, nullptr), "copy to the device"
    );
}

void copy_from_device(void* to, const void* from, std::size_t n_bytes) {
    check_cuda(
        cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyDeviceToHost, nullptr), "copy from the device"
    );
    wait_for_device();
}

void wait_for_device() {
    check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

void wait_for_device(int device) {
    const CurrentDevice current(device);
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

bool is_page_locked(const void* data) {
    cudaPointerAttributes attributes{};
    if (n_cuda_devices() == 0 || data == nullptr) {
        return false;
    }
    check_cuda(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
    return attributes.type == cudaMemoryTypeHost;
}

PageLock::PageLock(void* data, std::size_t n_bytes) {
    if (n_bytes == 0 || n_cuda_devices() == 0 || is_page_locked(data)) {
        return;
    }
    check_cuda(cudaHostRegister(data, n_bytes, cudaHostRegisterPortable), "cudaHostRegister");
    data_ = data;
}

PageLock::PageLock(PageLock&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}

PageLock& PageLock::operator=(PageLock&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
}

PageLock::~PageLock() {
    if (data_ != nullptr) {
        // Fails only after an error that the next checked call reports.
        static_cast<void>(cudaHostUnregister(data_));
    }
}

/// Page-locked memory, and the stream of its copies.
struct StagedCopies::Piece {
    static constexpr std::size_t size = std::size_t(4) << 20U;

    PinnedBuffer room;
    cudaStream_t stream = nullptr;

    Piece() {
        room.require(size / sizeof(double));
        check_cuda(
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"
        );
    }

    Piece(Piece&& other) noexcept
        : room(std::move(other.room)), stream(std::exchange(other.stream, nullptr)) {}

    // Fails only after an error that a checked call has reported.
    ~Piece() { static_cast<void>(stream != nullptr ? cudaStreamDestroy(stream) : cudaSuccess); }

    void wait() const { check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

    void copy(void* to, const void* from, std::size_t n_bytes) const {
        check_cuda(cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyDefault, stream), "staged copy");
    }
};

StagedCopies::StagedCopies(int device) : device_(device) {
    constexpr std::size_t n_pieces = 4;
    const CurrentDevice current(device);
    while (pieces_.size() < n_pieces) {
        pieces_.emplace_back();
    }
}

StagedCopies::~StagedCopies() = default;

void StagedCopies::to_device(void* to, const void* from, std::size_t n_bytes) {
    const CurrentDevice current(device_);
    for (std::size_t begin = 0, turn = 0; begin < n_bytes; begin += Piece::size, ++turn) {
        Piece& piece = pieces_[turn % pieces_.size()];
        const std::size_t n = std::min(Piece::size, n_bytes - begin);
        piece.wait();
        copy_bytes(static_cast<const std::byte*>(from) + begin, n, piece.room.data());
        piece.copy(static_cast<std::byte*>(to) + begin, piece.room.data(), n);
    }
    std::ranges::for_each(pieces_, &Piece::wait);
}

void StagedCopies::from_device(void* to, const void* from, std::size_t n_bytes) {
    const CurrentDevice current(device_);
    const std::size_t ahead = pieces_.size() * Piece::size;
    const auto begin_copy = [&](std::size_t begin) {
        const Piece& piece = pieces_[begin / Piece::size % pieces_.size()];
        const std::size_t n = std::min(Piece::size, n_bytes - begin);
        piece.copy(piece.room.data(), static_cast<const std::byte*>(from) + begin, n);
    };
    for (std::size_t begin = 0; begin < std::min(ahead, n_bytes); begin += Piece::size) {
        begin_copy(begin);
    }
    for (std::size_t begin = 0; begin < n_bytes; begin += Piece::size) {
        const Piece& piece = pieces_[begin / Piece::size % pieces_.size()];
        piece.wait();
        const std::size_t n = std::min(Piece::size, n_bytes - begin);
        copy_bytes(piece.room.data(), n, static_cast<std::byte*>(to) + begin);
        if (begin + ahead < n_bytes) {
            begin_copy(begin + ahead);
        }
    }
}

struct DeviceMark::Event {
    cudaEvent_t event = nullptr;
    int device = 0;

    Event() {
        check_cuda(cudaGetDevice(&device), "cudaGetDevice");
        check_cuda(cudaEventCreate(&event), "cudaEventCreate");
    }

    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    ~Event() { static_cast<void>(cudaEventDestroy(event)); }
};

DeviceMark::DeviceMark(void* stream) : event_(std::make_unique<Event>()) {
    check_cuda(
        cudaEventRecord(event_->event, static_cast<cudaStream_t>(stream)), "cudaEventRecord"
    );
}

DeviceMark::DeviceMark(DeviceMark&&) noexcept = default;
DeviceMark& DeviceMark::operator=(DeviceMark&&) noexcept = default;
DeviceMark::~DeviceMark() = default;

DeviceMark DeviceMark::reached(int device) {
    const CurrentDevice current(device);
    DeviceMark mark(cudaStreamPerThread); // the default stream would wait for others
    mark.wait();
    return mark;
}

int DeviceMark::device() const {
    return event_->device;
}

void DeviceMark::wait() const {
    check_cuda(cudaEventSynchronize(event_->event), "cudaEventSynchronize");
}

double DeviceMark::seconds_since(const DeviceMark& start) const {
    float milliseconds = 0;
    check_cuda(
        cudaEventElapsedTime(&milliseconds, start.event_->event, event_->event),
        "cudaEventElapsedTime"
    );
    return 1e-3 * static_cast<double>(milliseconds);
}

} // namespace starfmm
