// SPDX-License-Identifier: BSD-3-Clause
// Scratch memory that a CUDA body hands to CUB.
#pragma once

#include "codelets/cuda/cuda_check.cuh"

#include <cstddef>
#include <string>

namespace starfmm {

/// The device memory that a body hands to CUB.
struct DeviceRoom {
    void* data;
    std::size_t bytes;

    /// Runs a CUB algorithm, which is first asked how much memory it needs.
    template <class Algorithm>
    void run(const char* name, const Algorithm& algorithm) const {
        std::size_t needed = 0;
        check_cuda(algorithm(nullptr, needed), name);
        if (needed > bytes) {
            throw CudaError(
                std::string(name) + ": needs " + std::to_string(needed) +
                " bytes of scratch, has " + std::to_string(bytes) +
                ": the task's scratch is too small"
            );
        }
        check_cuda(algorithm(data, needed), name);
    }
};

} // namespace starfmm
