// SPDX-License-Identifier: BSD-3-Clause
// A build for benchmarks: GPUs STARFMM_SLOWED_GPUS times slower.
#include "codelets/cuda/kept_on_devices.cuh"
#include "codelets/task/cuda_body.hpp"

namespace starfmm {

namespace {

/// The time at which the body of a stream began, whether some stream has one, and how many bodies
/// the host has queued.
struct Watch {
    unsigned long long* start;
    unsigned* is_taken;
    volatile unsigned* n_queued;
};

__device__ unsigned long long nanoseconds() {
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

/// Waits until the host has queued the body, since the host's time for that is not a GPU's
/// arithmetic. But where queueing itself waits for the device, as the first allocation of a body
/// does, the device must go on. Bodies of two streams, which would share a slower GPU's units, run
/// one after the other.
__global__ void begin(Watch watch, unsigned n_before) {
    constexpr unsigned long long patience = 5'000'000;
    const auto end = nanoseconds() + patience;
    while (*watch.n_queued == n_before && nanoseconds() < end) {
        __nanosleep(200);
    }
    while (atomicCAS(watch.is_taken, 0U, 1U) != 0) {
        __nanosleep(500);
    }
    *watch.start = nanoseconds();
}

__global__ void wait(Watch watch, double times) {
    const auto taken = static_cast<double>(nanoseconds() - *watch.start);
    const auto end = nanoseconds() + static_cast<unsigned long long>((times - 1) * taken);
    while (nanoseconds() < end) {
        __nanosleep(500);
    }
    atomicExch(watch.is_taken, 0U);
}

template <class T>
T* zeroed() {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, sizeof(T)), "cudaMalloc");
    check_cuda(cudaMemset(memory, 0, sizeof(T)), "cudaMemset");
    return static_cast<T*>(memory);
}

unsigned* zeroed_on_host() {
    void* memory = nullptr;
    check_cuda(cudaHostAlloc(&memory, sizeof(unsigned), cudaHostAllocMapped), "cudaHostAlloc");
    *static_cast<unsigned*>(memory) = 0;
    return static_cast<unsigned*>(memory);
}

Watch watch_of(cudaStream_t stream) {
    static KeptOnDevices<cudaStream_t, unsigned long long*> starts;
    static KeptOnDevices<int, unsigned*> locks;
    static KeptOnDevices<cudaStream_t, unsigned*> queued;
    return {
        starts.of(stream, zeroed<unsigned long long>),
        locks.of(0, zeroed<unsigned>),
        queued.of(stream, zeroed_on_host)};
}

} // namespace

void run_cuda_body(BodyFunction body, void* buffers[], TaskArgs& args) {
    if (args.takers == Takers::builders) {
        body(buffers, &args);
        return;
    }
    const cudaStream_t stream = cuda_stream();
    const Watch watch = watch_of(stream);
    begin<<<1, 1, 0, stream>>>(watch, *watch.n_queued);
    body(buffers, &args);
    *watch.n_queued = *watch.n_queued + 1;
    wait<<<1, 1, 0, stream>>>(watch, STARFMM_SLOWED_GPUS);
    check_cuda(cudaGetLastError(), "wait");
}

int gpu_slowing() {
    return STARFMM_SLOWED_GPUS;
}

} // namespace starfmm
