// SPDX-License-Identifier: BSD-3-Clause
// Questions that a CUDA body asks of the device that it runs on.
#pragma once

#include "core/error.hpp"

#include <cuda_runtime.h>

#include <string>

namespace starfmm {

/// Checks the result of a CUDA call.
/// \throws CudaError unless `code` is success; `call` says what was attempted
inline void check_cuda(cudaError_t code, const char* call) {
    if (code != cudaSuccess) {
        throw CudaError(std::string(call) + " failed: " + cudaGetErrorString(code));
    }
}

inline int current_device() {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    return device;
}

/// Returns the value of an attribute of the current device.
inline int device_attribute(cudaDeviceAttr attribute) {
    int value = 0;
    check_cuda(
        cudaDeviceGetAttribute(&value, attribute, current_device()), "cudaDeviceGetAttribute"
    );
    return value;
}

/// Returns the number of multiprocessors of the current device.
inline unsigned n_multiprocessors() {
    return static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
}

} // namespace starfmm
