// SPDX-License-Identifier: BSD-3-Clause
// CUDA bodies are called here without StarPU, on copies of a test's buffers, and compared with CPU
// bodies.
#pragma once

#include "tests/support/scene.hpp"

#include <cuda_runtime.h>

#include <cstring>
#include <map>

inline void require_cuda(cudaError_t code) {
    REQUIRE_MESSAGE(code == cudaSuccess, cudaGetErrorString(code));
}

/// A copy of a vector in the GPU's memory, followed by bytes that must keep their value.
class DeviceCopy {
public:
    DeviceCopy(const void* data, std::size_t bytes) : bytes_(bytes) {
        require_cuda(cudaMalloc(&data_, bytes + guard));
        require_cuda(cudaMemcpy(data_, data, bytes, cudaMemcpyHostToDevice));
        require_cuda(cudaMemset(static_cast<char*>(data_) + bytes, pattern, guard));
    }

    DeviceCopy(const DeviceCopy&) = delete;
    DeviceCopy& operator=(const DeviceCopy&) = delete;

    ~DeviceCopy() { cudaFree(data_); }

    [[nodiscard]] void* data() const { return data_; }

    void copy_back(void* data) const {
        require_cuda(cudaMemcpy(data, data_, bytes_, cudaMemcpyDeviceToHost));
        std::vector<unsigned char> behind(guard);
        require_cuda(cudaMemcpy(
            behind.data(), static_cast<char*>(data_) + bytes_, guard, cudaMemcpyDeviceToHost
        ));
        CHECK(std::count(behind.begin(), behind.end(), pattern) == guard);
    }

private:
    static constexpr int pattern = 0xa5;
    static constexpr std::size_t guard = 256;

    std::size_t bytes_;
    void* data_ = nullptr;
};

/// Calls a CUDA body in the way of `call`; the buffers come back as the GPU left them. A vector
/// that is given twice is one buffer.
template <class... T>
void call_on_gpu(starfmm::BodyFunction body, starfmm::TaskArgs args, std::vector<T>&... buffers) {
    std::map<const void*, DeviceCopy> copies;
    std::vector<starpu_vector_interface> interfaces;
    const auto add = [&](const void* data, std::size_t n, std::size_t size) {
        const auto copy = copies.try_emplace(data, data, n * size).first;
        interfaces.push_back(buffer_of(copy->second.data(), n, size));
    };
    (add(buffers.data(), buffers.size(), sizeof(T)), ...);
    std::vector<void*> pointers;
    pointers.reserve(interfaces.size());
    for (starpu_vector_interface& buffer : interfaces) {
        pointers.push_back(&buffer);
    }
    body(pointers.data(), &args);
    require_cuda(cudaDeviceSynchronize());
    (copies.at(buffers.data()).copy_back(buffers.data()), ...);
}

/// Checks that two results agree: CUDA bodies sum in another order than CPU bodies. In double
/// precision results agree to 1e-13 of the largest, which is 900 roundings; in single precision to
/// as many of its own roundings.
template <class Real, class Values>
void check_close(const Values& values, const Values& expected) {
    double largest = 0;
    double difference = 0;
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        largest = std::max(largest, magnitude(expected[i]));
        const double d = magnitude(values[i] - expected[i]);
        difference = d <= difference ? difference : d; // NaN stays
    }
    CHECK(largest > 0);
    CHECK(difference <= 900 * roundoff<Real> * largest);
}

/// Runs `cpu` on the CPU and `gpu` on the GPU, with copies of the same buffers, and compares what
/// they leave in the first buffer.
template <class Real, class First, class... T>
void check_bodies(
    starfmm::BodyFunction cpu,
    starfmm::BodyFunction gpu,
    const starfmm::TaskArgs& args,
    std::vector<First> first,
    std::vector<T>... rest
) {
    std::vector<First> expected = first;
    call(cpu, args, expected, rest...);
    call_on_gpu(gpu, args, first, rest...);
    check_close<Real>(first, expected);
}

template <class K>
starfmm::KernelBodies gpu_bodies() {
    return starfmm::kernel_bodies<K, starfmm::Cuda>();
}
