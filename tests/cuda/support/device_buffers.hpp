// SPDX-License-Identifier: BSD-3-Clause
// Device buffers are Buffers for CUDA bodies of any number of buffers: those that depend on points,
// and must give the CPU's bits.
#pragma once

#include "tests/cuda/support/device_call.hpp"
#include "tests/support/geometry_variants.hpp"

#include <algorithm>
#include <functional>

/// Buffers that are copied to the GPU and back.
class DeviceBuffers {
public:
    template <class T>
    DeviceBuffers& add(std::vector<T>& values) {
        const auto earlier = std::ranges::find(targets_, static_cast<void*>(values.data()));
        if (!values.empty() && earlier != targets_.end()) { // one array, as one handle is
            auto& copy = copies_[static_cast<std::size_t>(earlier - targets_.begin())];
            interfaces_.push_back(buffer_of(copy.data(), values.size(), sizeof(T)));
            return *this;
        }
        copies_.emplace_back(values.data(), values.size() * sizeof(T));
        interfaces_.push_back(buffer_of(copies_.back().data(), values.size(), sizeof(T)));
        targets_.push_back(values.data());
        return *this;
    }

    void call(starfmm::BodyFunction body, starfmm::TaskArgs args) {
        std::vector<void*> pointers;
        for (starpu_vector_interface& buffer : interfaces_) {
            pointers.push_back(&buffer);
        }
        body(pointers.data(), &args);
        require_cuda(cudaDeviceSynchronize());
        for (std::size_t i = 0; i < copies_.size(); ++i) {
            copies_[i].copy_back(targets_[i]);
        }
    }

private:
    std::deque<DeviceCopy> copies_;
    std::deque<starpu_vector_interface> interfaces_;
    std::vector<void*> targets_;
};

template <int D = 2>
starfmm::GeometryBodies gpu_geometry() {
    return starfmm::geometry_bodies<D, starfmm::Cuda>();
}

template <int D = 2>
starfmm::GeometryBodies cpu_geometry() {
    return geometry_variants<D>().front().bodies;
}
