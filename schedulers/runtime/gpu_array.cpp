// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/gpu_array.hpp"

#include "codelets/sets/array_set.hpp"
#include "core/error.hpp"

#include <starpu.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

namespace starfmm {

std::size_t gpu_of_device(const Runtime& runtime, int device, const std::string& what) {
    const std::vector<unsigned>& nodes = runtime.gpu_nodes();
    const auto found = std::ranges::find(nodes, device, [](unsigned node) {
        return starpu_memory_node_get_devid(node);
    });
    if (runtime.home() != Handle::Home::starpu || found == nodes.end()) {
        throw InputError(
            what + ": lies on GPU " + std::to_string(device) +
            ", which the context does not work with"
        );
    }
    return static_cast<std::size_t>(found - nodes.begin());
}

GpuArray::GpuArray(Runtime& runtime, std::span<double> values, std::size_t gpu)
    : runtime_(&runtime), gpu_(gpu), is_own_(false), values_(values) {
    runtime.arrays().keep_on_gpu(values_, gpu_, runtime.gpu_nodes()[gpu_]);
}

GpuArray::GpuArray(Runtime& runtime, std::size_t n, std::size_t gpu)
    : runtime_(&runtime), gpu_(gpu), is_own_(true) {
    const unsigned node = runtime.gpu_nodes()[gpu];
    const std::size_t n_bytes = std::max<std::size_t>(n, 1) * sizeof(double);
    const std::uintptr_t data = starpu_malloc_on_node(node, n_bytes);
    if (data == 0) {
        throw MemoryError(
            "an array of " + std::to_string(n) + " values: GPU " + std::to_string(gpu) +
            " has no room for it"
        );
    }
    values_ = {reinterpret_cast<double*>(data), n};
    runtime.arrays().keep_on_gpu(values_, gpu_, node);
}

GpuArray::GpuArray(GpuArray&& other) noexcept
    : runtime_(std::exchange(other.runtime_, nullptr)), gpu_(other.gpu_), is_own_(other.is_own_),
      values_(other.values_) {}

GpuArray& GpuArray::operator=(GpuArray&& other) noexcept {
    std::swap(runtime_, other.runtime_);
    std::swap(gpu_, other.gpu_);
    std::swap(is_own_, other.is_own_);
    std::swap(values_, other.values_);
    return *this;
}

GpuArray::~GpuArray() {
    if (runtime_ == nullptr) {
        return;
    }
    runtime_->arrays().forget(values_.data());
    if (is_own_) {
        const std::size_t n_bytes = std::max<std::size_t>(values_.size(), 1) * sizeof(double);
        starpu_free_on_node(
            runtime_->gpu_nodes()[gpu_], reinterpret_cast<std::uintptr_t>(values_.data()), n_bytes
        );
    }
}

ResidentArray& GpuArray::resident() const {
    return *runtime_->arrays().resident(values_.data());
}

std::optional<std::size_t> gpu_of_array(Runtime& runtime, std::span<const double> values) {
    const ResidentArray* array =
        values.empty() ? nullptr : runtime.arrays().resident(values.data());
    return array != nullptr ? array->gpu() : std::nullopt;
}

HostArray::HostArray(Runtime& runtime, std::span<const double> values) : values_(values) {
    if (gpu_of_array(runtime, values)) {
        copy_.resize(values.size());
        runtime.arrays().resident(values.data())->read(copy_);
        values_ = copy_;
    }
}

HostPoints::HostPoints(Runtime& runtime, const PointsRef& points) {
    for (const std::span<const double> x : points.x) {
        coordinates_.emplace_back(runtime, x);
    }
}

PointsRef HostPoints::points() const {
    std::vector<std::span<const double>> all;
    std::ranges::transform(coordinates_, std::back_inserter(all), &HostArray::values);
    return PointsRef(std::span<const std::span<const double>>(all));
}

SeenPoints::SeenPoints(Runtime& runtime, const PointsRef& points, std::size_t most)
    : coordinates_(points.x.begin(), points.x.end()) {
    const auto gpu = gpu_of_array(runtime, points.x[0]);
    if (!gpu) {
        return;
    }
    const std::size_t n = std::min(points.size(), most);
    for (const std::span<const double> x : points.x) {
        Handle part = std::move(runtime.arrays().resident(x.data())->parts(1).front());
        samples_.emplace_back(n, sizeof(double), runtime.home());
        TaskArgs args = args_on_gpu(runtime, *gpu, n);
        args.table.rows = x.size();
        const std::array<Handle*, 2> handles{&samples_.back(), &part};
        runtime.submit(array_set().get<ReadColumnTask>(), handles, args, 0);
    }
}

PointsRef SeenPoints::points() {
    for (Handle& sample : samples_) {
        std::vector<double>& copy = copies_.emplace_back(sample.size());
        sample.read(std::span(copy));
        coordinates_[copies_.size() - 1] = copy;
    }
    samples_.clear();
    return PointsRef(std::span<const std::span<const double>>(coordinates_));
}

std::vector<bool>
are_out(Runtime& runtime, std::span<ResidentArray* const> arrays, const ValueRange& range) {
    std::vector<Handle> found;
    std::vector<std::size_t> ends;
    for (ResidentArray* const array : arrays) {
        for (Handle& part : array->present_parts()) {
            found.emplace_back(1, sizeof(std::uint32_t), runtime.home());
            TaskArgs args = args_on_gpu(runtime, array->gpu().value(), part.size());
            args.range[0] = range.lowest;
            args.range[1] = range.highest;
            const std::array<Handle*, 2> handles{&found.back(), &part};
            runtime.submit(array_set().get<CheckRangeTask>(), handles, args, 0);
        }
        ends.push_back(found.size());
    }
    std::vector<bool> out;
    std::size_t i = 0;
    for (const std::size_t end : ends) {
        bool is_out = false;
        for (; i < end; ++i) {
            std::uint32_t part_is_out = 0;
            found[i].read(std::span(&part_is_out, 1));
            is_out = is_out || part_is_out != 0;
        }
        out.push_back(is_out);
    }
    return out;
}

TaskArgs args_on_gpu(const Runtime& runtime, std::size_t gpu, std::size_t n) {
    TaskArgs args;
    args.work = static_cast<double>(n);
    args.takers = Takers::gpus;
    args.part = {static_cast<std::uint32_t>(gpu), static_cast<std::uint32_t>(runtime.n_cuda())};
    return args;
}

} // namespace starfmm
