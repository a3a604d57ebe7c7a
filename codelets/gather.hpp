// SPDX-License-Identifier: BSD-3-Clause
// Gather: between the user's order and the tree's. Strengths on the way in, results on the way out.
// O(points).
#pragma once

#include "codelets/task_views.hpp"

#include <cstddef>

namespace starfmm {

/// `strengths`: user order to one group's tree order.
template <class Real>
struct StrengthsTask {
    Real* strengths;                  ///< W  [n_parts * n], parts one after the other
    const std::uint32_t* permutation; ///< R  [n]
    const double* parts[2]; ///< R  real parts and, if complex, imaginary parts, user order
    std::size_t n;
    std::size_t n_parts;

    static StrengthsTask unpack(void* buffers[], void* /*args*/) {
        StrengthsTask task{
            buffer_data<Real>(buffers[0]),
            buffer_data<const std::uint32_t>(buffers[1]),
            {buffer_data<const double>(buffers[2]), nullptr},
            buffer_size(buffers[1]),
            1};
        if (buffer_size(buffers[0]) > task.n) {
            task.parts[1] = buffer_data<const double>(buffers[3]);
            task.n_parts = 2;
        }
        return task;
    }
};

/// `gather_begin`, on any worker: declared to write all results, it keeps StarPU from fetching what
/// they held before.
inline void gather_begin(void* /*buffers*/[], void* /*args*/) {}

/// `gather`: near + far results of one group into the user's arrays.
template <class Real>
struct GatherTask {
    TaskArgs args;
    const Real* near;                 ///< R  [n_parts * n]
    const Real* far;                  ///< R  [n_parts * n], or null without a far field
    const std::uint32_t* permutation; ///< R  [n]
    double* parts[2];                 ///< groups write disjoint elements
    std::size_t n;
    std::size_t n_results; ///< of all groups
    std::size_t n_parts;

    static GatherTask unpack(void* buffers[], void* args) {
        GatherTask task{
            *static_cast<TaskArgs*>(args),
            buffer_data<const Real>(buffers[0]),
            buffer_data<const Real>(buffers[1]),
            buffer_data<const std::uint32_t>(buffers[2]),
            {buffer_data<double>(buffers[3]), nullptr},
            buffer_size(buffers[2]),
            buffer_size(buffers[3]),
            1};
        if (buffer_size(buffers[0]) > task.n) {
            task.parts[1] = buffer_data<double>(buffers[4]);
            task.n_parts = 2;
        }
        return task;
    }
};

template <class Real, class Isa>
void strengths_cpu(void* buffers[], void* args) {
    const auto task = StrengthsTask<Real>::unpack(buffers, args);
    for (std::size_t part = 0; part < task.n_parts; ++part) {
        for (std::size_t i = 0; i < task.n; ++i) {
            task.strengths[part * task.n + i] =
                static_cast<Real>(task.parts[part][task.permutation[i]]);
        }
    }
}

template <class Real, class Isa>
void gather_cpu(void* buffers[], void* args) {
    const auto task = GatherTask<Real>::unpack(buffers, args);
    for (std::size_t part = 0; part < task.n_parts; ++part) {
        for (std::size_t i = 0; i < task.n; ++i) {
            const std::size_t j = part * task.n + i;
            task.parts[part][task.permutation[i]] =
                static_cast<double>(task.near[j]) + static_cast<double>(task.far[j]);
        }
    }
}

} // namespace starfmm
