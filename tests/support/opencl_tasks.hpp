// SPDX-License-Identifier: BSD-3-Clause
// Tasks run here on an OpenCL device beside a core, and their results are compared.
#pragma once

#include "core/error.hpp"
#include "core/expansions/gravity_kernels3d.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "tests/support/scene.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

using GravityDouble = starfmm::SoftenedGravity<double>;
using GravitySingle = starfmm::SoftenedGravity<float>;

inline constexpr double epsilon = 0.3; ///< softening length of gravity: some points are closer

/// Starts one core and one OpenCL device; returns null, with a message, where there is no such
/// device.
inline std::unique_ptr<starfmm::Runtime> opencl_runtime() {
    starfmm::RuntimeOptions options{1, 0, "", true};
    options.opencl = 1;
    try {
        return std::make_unique<starfmm::Runtime>(options);
    } catch (const starfmm::InputError& error) {
        MESSAGE("skipped: ", error.what());
        return nullptr;
    }
}

/// A task's buffers, as handles on the caller's arrays.
class Arrays {
public:
    /// Adds an array to the task's; one that was added before is the same datum again.
    template <class T>
    Arrays& add(std::vector<T>& values) {
        const auto [place, is_new] = of_array_.try_emplace(values.data(), nullptr);
        if (is_new) {
            own_.emplace_back(
                values.data(), values.size(), sizeof(T), starfmm::Handle::Home::starpu
            );
            place->second = &own_.back();
        }
        all_.push_back(place->second);
        return *this;
    }

    /// Runs the codelet on the arrays, on the workers of kind `where`, and brings the first array
    /// home.
    void
    run(starfmm::Codelet& codelet,
        const starfmm::TaskArgs& args,
        std::uint32_t where,
        starfmm::Runtime& runtime) {
        starpu_task* task = codelet.make_task(all_, args, 0);
        task->where = static_cast<std::int32_t>(where);
        REQUIRE(starpu_task_submit(task) == 0);
        runtime.wait();
        own_.front().release();
    }

private:
    std::deque<starfmm::Handle> own_;
    std::map<const void*, starfmm::Handle*> of_array_;
    std::vector<starfmm::Handle*> all_;
};

/// Returns ||a - b|| / ||b||.
template <class Real>
double difference(const std::vector<Real>& a, const std::vector<Real>& b) {
    REQUIRE(a.size() == b.size());
    long double square = 0;
    long double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        square += std::pow(static_cast<long double>(a[i]) - b[i], 2);
        total += std::pow(static_cast<long double>(b[i]), 2);
    }
    return static_cast<double>(std::sqrt(square / total));
}

/// Allowed relative difference. Both bodies sum a few hundred values of some ten roundings each, in
/// another order; the CPU body of MixedLaplace forms pairs in single precision.
template <class K>
double allowed() {
    return starfmm::has_mixed_pairs<K> ? 1e-6 : 32 * roundoff<typename K::Real>;
}

/// Sets the softening length of kernels that take one.
template <class K>
void soften(Scene<K>& scene, double by = epsilon) {
    scene.args.kernel.epsilon_square = by * by;
}

/// Counts tasks of codelet `name` that the OpenCL worker ran.
inline std::size_t n_tasks_on_opencl(const starfmm::Runtime& runtime, const std::string& name) {
    std::size_t n = 0;
    for (const starfmm::TaskRecord& record : runtime.records()) {
        const bool is_opencl = starpu_worker_get_type(record.worker) == STARPU_OPENCL_WORKER;
        n += is_opencl && record.codelet->name() == name ? 1 : 0;
    }
    return n;
}
