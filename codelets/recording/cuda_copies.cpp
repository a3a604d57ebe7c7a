// SPDX-License-Identifier: BSD-3-Clause
// Copies from and to GPUs, with marks around them in their streams; only in builds with CUDA.
#include "codelets/recording/copies.hpp"

#include <cuda_runtime_api.h>

#include <cerrno>
#include <utility>

namespace starfmm {

namespace {

/// Returns a mark, or null where the device refuses, and keeps the error: nothing may be thrown
/// through StarPU.
std::optional<DeviceMark> mark_in(cudaStream_t stream) noexcept {
    try {
        return DeviceMark(stream);
    } catch (...) {
        copy_records().fail(std::current_exception());
        return std::nullopt;
    }
}

void* address_of(const starpu_vector_interface& vector) {
    return reinterpret_cast<void*>(vector.dev_handle + vector.offset);
}

template <cudaMemcpyKind kind>
int copy_in_stream(
    void* from, unsigned from_memory, void* to, unsigned to_memory, cudaStream_t stream
) {
    const auto& source = *static_cast<const starpu_vector_interface*>(from);
    const auto& target = *static_cast<const starpu_vector_interface*>(to);
    const std::size_t n_bytes = size_of(source);
    const bool is_on = copy_records().is_on();
    std::optional<DeviceMark> begin = is_on ? mark_in(stream) : std::nullopt;
    const int code = starpu_cuda_copy_async_sync(
        address_of(source), from_memory, address_of(target), to_memory, n_bytes, stream, kind
    );
    if (is_on) {
        copy_records().add(
            {{from_memory, to_memory, n_bytes, 0, 0}, std::move(begin), mark_in(stream)}
        );
    }
    return code;
}

} // namespace

void add_cuda_copies(starpu_data_copy_methods& methods) {
    methods.ram_to_cuda_async = copy_in_stream<cudaMemcpyHostToDevice>;
    methods.cuda_to_ram_async = copy_in_stream<cudaMemcpyDeviceToHost>;
    methods.cuda_to_cuda_async = copy_in_stream<cudaMemcpyDeviceToDevice>;
}

} // namespace starfmm
