// SPDX-License-Identifier: BSD-3-Clause
// Gather: between the user's order and the tree's. Strengths on the way in, results on the way out.
// O(points).
#pragma once

#include "codelets/exchange/pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Real parts and, if complex, imaginary parts in the user's order: the user's whole arrays, or the
/// pieces of the task's group.
struct UserParts {
    Pieces of[2]{};
    std::size_t n = 1;

    /// \param n_parts 1 or 2;
    /// \param args whose n_slots is the number of pieces of each part; 0: whole arrays
    UserParts(void* buffers[], std::size_t n_parts, const TaskArgs& args) : n(n_parts) {
        const std::uint32_t n_buffers = std::max(1U, args.n_slots);
        for (std::size_t part = 0; part < n; ++part) {
            of[part] = Pieces::of(buffers + part * n_buffers, n_buffers);
        }
    }
};

/// `strengths`: user order to one group's tree order.
template <class Real>
struct StrengthsTask {
    Real* strengths;                  ///< W  [n_parts * n], parts one after the other
    const std::uint32_t* permutation; ///< R  [n]
    UserParts parts;                  ///< R
    std::size_t n;

    static StrengthsTask unpack(void* buffers[], void* args) {
        const std::size_t n = buffer_size(buffers[1]);
        return {
            buffer_data<Real>(buffers[0]),
            buffer_data<const std::uint32_t>(buffers[1]),
            {buffers + 2, buffer_size(buffers[0]) > n ? 2U : 1U, *static_cast<TaskArgs*>(args)},
            n};
    }
};

/// `gather_begin`, on any worker: declared to write all results, it keeps StarPU from fetching what
/// they held before.
inline void gather_begin(void* /*buffers*/[], void* /*args*/) {}

/// `gather`: near + far results of one group into the user's arrays.
template <class Real>
struct GatherTask {
    const Real* near;                 ///< R  [n_parts * n]
    const Real* far;                  ///< R  [n_parts * n]
    const std::uint32_t* permutation; ///< R  [n]
    UserParts parts;                  ///< groups write disjoint elements
    std::size_t n;

    static GatherTask unpack(void* buffers[], void* args) {
        const std::size_t n = buffer_size(buffers[2]);
        return {
            buffer_data<const Real>(buffers[0]),
            buffer_data<const Real>(buffers[1]),
            buffer_data<const std::uint32_t>(buffers[2]),
            {buffers + 3, buffer_size(buffers[0]) > n ? 2U : 1U, *static_cast<TaskArgs*>(args)},
            n};
    }
};

template <class Real, class Isa>
void strengths_cpu(void* buffers[], void* args) {
    const auto task = StrengthsTask<Real>::unpack(buffers, args);
    for (std::size_t part = 0; part < task.parts.n; ++part) {
        for (std::size_t i = 0; i < task.n; ++i) {
            task.strengths[part * task.n + i] =
                static_cast<Real>(task.parts.of[part].at(task.permutation[i]));
        }
    }
}

template <class Real, class Isa>
void gather_cpu(void* buffers[], void* args) {
    const auto task = GatherTask<Real>::unpack(buffers, args);
    for (std::size_t part = 0; part < task.parts.n; ++part) {
        for (std::size_t i = 0; i < task.n; ++i) {
            const std::size_t j = part * task.n + i;
            task.parts.of[part].at(task.permutation[i]) =
                static_cast<double>(task.near[j]) + static_cast<double>(task.far[j]);
        }
    }
}

} // namespace starfmm
