// SPDX-License-Identifier: BSD-3-Clause
// This library emulates GPUs on machines without one when it is preloaded. It provides the CUDA
// runtime calls of StarPU and starfmm on host memory, and CUDA workers that run the CPU bodies.
// Everything between the bodies is real: placement, transfers, limited memory, several GPUs.
// STARFMM_EMULATED_GPUS sets their number.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <starpu.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>

#undef starpu_task_submit // a macro that adds the caller's line
#undef cudaGetDeviceProperties

namespace {

constexpr std::size_t memory = std::size_t(16) << 30U;

std::atomic<int> current_device{0};

cudaError_t allocate(void** data, std::size_t n_bytes) {
    *data = std::malloc(n_bytes);
    return *data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t release(void* data) {
    std::free(data);
    return cudaSuccess;
}

using Clock = std::chrono::steady_clock;

/// Returns an event's time, at which it was recorded.
Clock::time_point& time_of(cudaEvent_t event) {
    return *reinterpret_cast<Clock::time_point*>(event);
}

cudaError_t make_event(cudaEvent_t* event) {
    void* data = nullptr;
    const cudaError_t code = allocate(&data, sizeof(Clock::time_point));
    *event = static_cast<cudaEvent_t>(data);
    return code;
}

/// Makes a stream or an event. Everything happens at once, so that a stream is only a name.
template <class Name>
cudaError_t make(Name* name) {
    void* data = nullptr;
    const cudaError_t code = allocate(&data, 1);
    *name = static_cast<Name>(data);
    return code;
}

cudaError_t copy(void* to, const void* from, std::size_t n_bytes) {
    std::memcpy(to, from, n_bytes);
    return cudaSuccess;
}

/// Makes CUDA workers run what CPU workers run.
void use_cpu_bodies(starpu_codelet& codelet) {
    for (int i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
        if (codelet.cuda_funcs[i] != nullptr) {
            codelet.cuda_funcs[i] = codelet.cpu_funcs[0];
            codelet.cuda_flags[i] = 0;
        }
    }
}

} // namespace

extern "C" {

int starpu_task_submit(starpu_task* task) {
    using Submit = int (*)(starpu_task*);
    static const auto submit = reinterpret_cast<Submit>(dlsym(RTLD_NEXT, "starpu_task_submit"));
    if (task->cl != nullptr) {
        use_cpu_bodies(*task->cl);
    }
    return submit(task);
}

cudaError_t cudaGetDeviceCount(int* n) {
    const char* wanted = std::getenv("STARFMM_EMULATED_GPUS");
    *n = wanted != nullptr ? std::atoi(wanted) : 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
    *device = current_device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    current_device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    *properties = {};
    std::strcpy(properties->name, "emulated GPU");
    properties->totalGlobalMem = memory;
    properties->pciBusID = device;
    properties->major = 9;
    properties->canMapHostMemory = 1;
    return cudaSuccess;
}

/// Answers that every kernel has code, unless STARFMM_EMULATED_CODE is none.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* /*function*/) {
    const char* code = std::getenv("STARFMM_EMULATED_CODE");
    *attributes = {};
    return code != nullptr && std::strcmp(code, "none") == 0 ? cudaErrorNoKernelImageForDevice
                                                             : cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    *free = *total = memory;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int /*device*/, int /*peer*/) {
    *can = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) {
    return cudaSuccess;
}

cudaError_t cudaDeviceReset() {
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    return cudaSuccess;
}

cudaError_t cudaGetLastError() {
    return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t n_bytes) {
    return allocate(data, n_bytes);
}

cudaError_t cudaFree(void* data) {
    return release(data);
}

cudaError_t cudaMallocAsync(void** data, std::size_t n_bytes, cudaStream_t /*stream*/) {
    return allocate(data, n_bytes);
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t /*stream*/) {
    return release(data);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int /*device*/) {
    *pool = nullptr;
    return cudaSuccess;
}

cudaError_t
cudaMemPoolSetAttribute(cudaMemPool_t /*pool*/, cudaMemPoolAttr /*attribute*/, void* /*value*/) {
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** data, std::size_t n_bytes, unsigned /*flags*/) {
    return allocate(data, n_bytes);
}

cudaError_t cudaFreeHost(void* data) {
    return release(data);
}

cudaError_t cudaHostRegister(void* /*data*/, std::size_t /*n_bytes*/, unsigned /*flags*/) {
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* /*data*/) {
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* /*data*/) {
    *attributes = {};
    attributes->type = cudaMemoryTypeHost;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
    return make(stream);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = *greatest = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int /*priority*/) {
    return cudaStreamCreateWithFlags(stream, flags);
}

/// Waits for nothing: kernels are done when they return.
cudaError_t
cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t /*event*/, unsigned /*flags*/) {
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return release(stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) {
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t /*stream*/) {
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return make_event(event);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
    return make_event(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return release(event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/) {
    time_of(event) = Clock::now();
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    const std::chrono::duration<float, std::milli> time = time_of(end) - time_of(start);
    *milliseconds = time.count();
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t /*event*/) {
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) {
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t n_bytes, cudaMemcpyKind /*kind*/) {
    return copy(to, from, n_bytes);
}

cudaError_t cudaMemcpyAsync(
    void* to,
    const void* from,
    std::size_t n_bytes,
    cudaMemcpyKind /*kind*/,
    cudaStream_t /*stream*/
) {
    return copy(to, from, n_bytes);
}

cudaError_t
cudaMemcpyPeer(void* to, int /*device*/, const void* from, int /*peer*/, std::size_t n_bytes) {
    return copy(to, from, n_bytes);
}

cudaError_t cudaMemcpyPeerAsync(
    void* to,
    int /*device*/,
    const void* from,
    int /*peer*/,
    std::size_t n_bytes,
    cudaStream_t /*stream*/
) {
    return copy(to, from, n_bytes);
}

} // extern "C"
