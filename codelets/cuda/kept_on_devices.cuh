// SPDX-License-Identifier: BSD-3-Clause
// Values that the library keeps in the memory of devices from one task to the next.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/task/cuda_devices.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace starfmm {

/// One value a device and key, which refers to memory that nobody frees: the memory is the device's
/// as long as its context lives. StarPU resets devices at the end of a session, and may at its
/// start: then values are made anew.
template <class Key, class Value>
class KeptOnDevices {
public:
    /// Returns the current device's value, made by make() the first time. It is valid until the
    /// session ends.
    template <class Make>
    const Value& of(const Key& key, const Make& make) {
        const std::scoped_lock lock(mutex_);
        if (generation_ != device_generation()) {
            values_.clear();
            generation_ = device_generation();
        }
        const std::pair<int, Key> place(current_device(), key);
        auto found = values_.find(place);
        if (found == values_.end()) {
            found = values_.emplace(place, make()).first;
        }
        return found->second;
    }

private:
    std::mutex mutex_;
    std::map<std::pair<int, Key>, Value> values_;
    unsigned generation_ = 0;
};

/// Returns a copy of values in the current device's memory, which all streams may read.
template <class T>
const T* copy_of_constants(const std::vector<T>& values) {
    const std::size_t bytes = values.size() * sizeof(T);
    void* data = nullptr;
    check_cuda(cudaMalloc(&data, bytes), "cudaMalloc of constants");
    check_cuda(
        cudaMemcpyAsync(data, values.data(), bytes, cudaMemcpyHostToDevice, cuda_stream()),
        "copy of constants"
    );
    // another worker's stream may be the next to read them
    check_cuda(cudaStreamSynchronize(cuda_stream()), "cudaStreamSynchronize");
    return static_cast<const T*>(data);
}

} // namespace starfmm
