// SPDX-License-Identifier: BSD-3-Clause
// Kernels all of whose blocks run at once, and therefore may wait for each other.
#pragma once

#include "codelets/cuda/cuda_check.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <type_traits>

namespace starfmm {

/// Returns the bytes of dynamic shared memory that a block may have on the current device; the rest
/// is left to the kernel's own. STARFMM_SHARED_BYTES lowers the total, so that tests meet what
/// smaller devices do.
inline std::size_t block_shared_bytes() {
    constexpr std::size_t own = 4096;
    constexpr std::size_t least = 48 << 10; // what every device has
    static const char* const lowered = std::getenv("STARFMM_SHARED_BYTES");
    const std::size_t all = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const std::size_t wanted = lowered == nullptr ? all : std::strtoull(lowered, nullptr, 10);
    return std::clamp(wanted, least, all) - own;
}

/// Allows a kernel its dynamic shared memory, as must be done beyond 48 KiB.
template <class Kernel>
void allow_shared_bytes(Kernel kernel, std::size_t bytes) {
    check_cuda(
        cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)
        ),
        "cudaFuncSetAttribute"
    );
}

/// Returns the number of a kernel's blocks that the current device runs at once.
template <class Kernel>
unsigned resident_blocks(Kernel kernel, int threads, std::size_t shared_bytes) {
    int blocks = 0;
    check_cuda(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
    );
    return static_cast<unsigned>(blocks) * n_multiprocessors();
}

struct LaunchSize {
    unsigned blocks;
    int threads;
    std::size_t shared_bytes;
};

/// Launches at most resident_blocks() blocks, which may synchronize as a grid.
template <class... Args>
void launch_cooperative(
    void (*kernel)(Args...),
    const char* call,
    const LaunchSize& size,
    std::type_identity_t<Args>... args
) {
    void* pointers[] = {&args...};
    check_cuda(
        cudaLaunchCooperativeKernel(
            reinterpret_cast<const void*>(kernel),
            size.blocks,
            size.threads,
            pointers,
            size.shared_bytes,
            cuda_stream()
        ),
        call
    );
}

} // namespace starfmm
