// SPDX-License-Identifier: BSD-3-Clause
// Arrays that lie in a GPU's memory, and what the host takes of them.
#pragma once

#include "core/particles/points.hpp"
#include "core/particles/value_range.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// The runtime's number of a GPU.
/// \param device CUDA's number
/// \throws InputError naming `what` if the runtime does not work with the GPU, or works in order
[[nodiscard]] std::size_t
gpu_of_device(const Runtime& runtime, int device, const std::string& what);

/// An array of doubles on a GPU, which tasks use where it lies while this object lives. Its address
/// names it among the runtime's arrays (ArrayMemory). The runtime must outlive it.
class GpuArray {
public:
    /// Takes the caller's.
    /// \param gpu the runtime's number of the GPU
    GpuArray(Runtime& runtime, std::span<double> values, std::size_t gpu);

    /// Makes an array of `n` values.
    /// \throws MemoryError if the GPU has no room for them
    GpuArray(Runtime& runtime, std::size_t n, std::size_t gpu);

    GpuArray(const GpuArray&) = delete;
    GpuArray& operator=(const GpuArray&) = delete;
    GpuArray(GpuArray&& other) noexcept;
    GpuArray& operator=(GpuArray&& other) noexcept;
    ~GpuArray();

    /// The array, which only tasks may look at.
    [[nodiscard]] std::span<double> values() const { return values_; }

    [[nodiscard]] std::size_t gpu() const { return gpu_; }

    [[nodiscard]] ResidentArray& resident() const;

private:
    Runtime* runtime_;
    std::size_t gpu_;
    bool is_own_;
    std::span<double> values_;
};

/// The GPU that the array lies on; none of an array in host memory.
[[nodiscard]] std::optional<std::size_t>
gpu_of_array(Runtime& runtime, std::span<const double> values);

/// A view of an array in host memory: the array, or a copy of it if it lies on a GPU.
class HostArray {
public:
    HostArray(Runtime& runtime, std::span<const double> values);

    [[nodiscard]] std::span<const double> values() const { return values_; }

private:
    std::vector<double> copy_;
    std::span<const double> values_;
};

/// The same of points.
class HostPoints {
public:
    HostPoints(Runtime& runtime, const PointsRef& points);

    [[nodiscard]] PointsRef points() const;

private:
    std::vector<HostArray> coordinates_;
};

/// Points for a look at where they lie: all of them, or, of more than `most` that lie on a GPU, as
/// many, evenly chosen, which are on their way to the host from the constructor on.
class SeenPoints {
public:
    SeenPoints(Runtime& runtime, const PointsRef& points, std::size_t most = 65536);

    /// Waits for those on a GPU, for the first time.
    [[nodiscard]] PointsRef points();

private:
    std::vector<Handle> samples_;             ///< none of points in host memory
    std::vector<std::vector<double>> copies_; ///< of the samples, once they are here
    std::vector<std::span<const double>> coordinates_;
};

/// Whether arrays on GPUs have a value that is neither zero nor in the range, each of them by a task
/// where it lies.
[[nodiscard]] std::vector<bool>
are_out(Runtime& runtime, std::span<ResidentArray* const> arrays, const ValueRange& range);

/// Arguments of a task that works on a GPU's arrays.
[[nodiscard]] TaskArgs args_on_gpu(const Runtime& runtime, std::size_t gpu, std::size_t n);

} // namespace starfmm
