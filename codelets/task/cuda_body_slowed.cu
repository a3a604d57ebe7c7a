// SPDX-License-Identifier: BSD-3-Clause
// A build for benchmarks: GPUs STARFMM_SLOWED_GPUS times slower.
#include "codelets/cuda/kept_on_devices.cuh"
#include "codelets/task/cuda_body.hpp"

namespace starfmm {

namespace {

/// When the body of a stream began, and whether some stream waits.
struct Watch {
    unsigned long long* start;
    unsigned* is_taken;
};

__device__ unsigned long long nanoseconds() {
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

__global__ void note_time(Watch watch) {
    *watch.start = nanoseconds();
}

/// Bodies of two streams would share a slower GPU's units: they wait one after the other.
__global__ void wait(Watch watch, double times) {
    const auto taken = static_cast<double>(nanoseconds() - *watch.start);
    while (atomicCAS(watch.is_taken, 0U, 1U) != 0) {
        __nanosleep(500);
    }
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

Watch watch_of(cudaStream_t stream) {
    static KeptOnDevices<cudaStream_t, unsigned long long*> starts;
    static KeptOnDevices<int, unsigned*> locks;
    return {starts.of(stream, zeroed<unsigned long long>), locks.of(0, zeroed<unsigned>)};
}

} // namespace

void run_cuda_body(BodyFunction body, void* buffers[], TaskArgs& args) {
    if (args.takers == Takers::builders) {
        body(buffers, &args);
        return;
    }
    const cudaStream_t stream = cuda_stream();
    const Watch watch = watch_of(stream);
    note_time<<<1, 1, 0, stream>>>(watch);
    body(buffers, &args);
    wait<<<1, 1, 0, stream>>>(watch, STARFMM_SLOWED_GPUS);
    check_cuda(cudaGetLastError(), "wait");
}

} // namespace starfmm
