// SPDX-License-Identifier: BSD-3-Clause
// Side streams in a build with CUDA.
#include "codelets/cuda/cuda_check.cuh"
#include "codelets/task/side_stream.hpp"

#include <map>

namespace starfmm {

namespace {

thread_local cudaStream_t in_use = nullptr;

/// The stream aside of one worker, which lives as long as the worker's thread.
class SideStream {
public:
    SideStream() {
        int lowest = 0;
        int highest = 0;
        check_cuda(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "stream priorities");
        check_cuda(
            cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, highest),
            "cudaStreamCreateWithPriority"
        );
        check_cuda(
            cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"
        );
    }

    SideStream(const SideStream&) = delete;
    SideStream& operator=(const SideStream&) = delete;

    ~SideStream() {
        // Fail only after an error that a checked call has reported.
        static_cast<void>(cudaEventDestroy(event_));
        static_cast<void>(cudaStreamDestroy(stream_));
    }

    [[nodiscard]] cudaStream_t stream() const { return stream_; }

    /// Has what `later` is given from now on wait for what `first` has been given.
    void wait(cudaStream_t later, cudaStream_t first) const {
        check_cuda(cudaEventRecord(event_, first), "cudaEventRecord");
        check_cuda(cudaStreamWaitEvent(later, event_, 0), "cudaStreamWaitEvent");
    }

private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t event_ = nullptr;
};

/// Returns the stream aside of the calling worker: a thread may serve several workers.
SideStream& side_stream() {
    thread_local std::map<int, SideStream> of_worker;
    return of_worker[starpu_worker_get_id()];
}

bool is_gpu_worker() {
    return starpu_worker_get_id() >= 0 &&
           starpu_worker_get_type(starpu_worker_get_id()) == STARPU_CUDA_WORKER;
}

} // namespace

void* stream_in_use() noexcept {
    return in_use;
}

StreamPair::~StreamPair() {
    in_use = nullptr;
}

void StreamPair::use(Stream stream) {
    if (!is_gpu_worker()) {
        return;
    }
    if (stream == Stream::own) {
        in_use = nullptr;
        return;
    }
    const SideStream& side = side_stream();
    if (!has_parted_) {
        side.wait(side.stream(), starpu_cuda_get_local_stream());
        has_parted_ = true;
    }
    in_use = side.stream();
}

void StreamPair::meet() {
    if (has_parted_) {
        const SideStream& side = side_stream();
        side.wait(starpu_cuda_get_local_stream(), side.stream());
        has_parted_ = false; // the stream aside waits before it is used again
    }
}

std::optional<DeviceMark> StreamPair::mark() {
    if (!is_gpu_worker()) {
        return std::nullopt;
    }
    return DeviceMark(in_use != nullptr ? in_use : starpu_cuda_get_local_stream());
}

} // namespace starfmm
