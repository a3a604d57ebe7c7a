// SPDX-License-Identifier: BSD-3-Clause
// Gather carries values between the user's order and the tree's: strengths on the way in, results
// on the way out. O(points).
#pragma once

#include "codelets/exchange/pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// Returns the number of components that the strengths or results of `n` points have.
constexpr std::size_t n_parts(std::size_t n_values, std::size_t n) {
    return n == 0 ? 1 : n_values / n;
}

/// The components of strengths or results in the user's order: the user's whole arrays, or the
/// pieces of the task's group.
struct UserParts {
    Pieces of[most_components]{};
    std::size_t n = 1;

    /// Takes the buffers of all parts.
    /// \param n_parts  at most most_components
    /// \param args  its n_slots is the number of pieces of each part; 0: whole arrays
    UserParts() = default;

    UserParts(void* buffers[], std::size_t n_parts, const TaskArgs& args) : n(n_parts) {
        const std::uint32_t n_buffers = buffers == nullptr ? 0 : std::max(1U, args.n_slots);
        for (std::size_t part = 0; part < n; ++part) {
            of[part] = Pieces::of(buffers + part * n_buffers, n_buffers);
        }
    }
};

/// The task of `strengths`: user order to one group's tree order.
template <class Real>
struct StrengthsTask {
    static constexpr std::string_view name = "strengths";
    static constexpr Color color = Color::grey;
    Real* strengths;                  ///< W  [n_parts * n], parts one after the other
    const std::uint32_t* permutation; ///< R  [n]
    UserParts parts;                  ///< R
    std::size_t n;

    template <class Buffers>
    static StrengthsTask of(Buffers& buffers) {
        StrengthsTask task{};
        task.strengths = buffers.template write<Real>();
        const std::size_t n_strengths = buffers.size();
        task.permutation = buffers.template read<std::uint32_t>();
        task.n = buffers.size();
        task.parts = {buffers.read_rest(), n_parts(n_strengths, task.n), buffers.args()};
        return task;
    }

    template <class Isa>
    static void cpu(const StrengthsTask& task);
    static void cuda(const StrengthsTask& task);
};

/// The task of `gather_begin`, on any worker: declared to write all results, it keeps StarPU from
/// fetching what they held before.
struct GatherBeginTask {
    static constexpr std::string_view name = "gather_begin";
    static constexpr Color color = Color::grey;

    template <class Buffers>
    static GatherBeginTask of(Buffers& buffers) {
        static_cast<void>(buffers.write_rest());
        return {};
    }

    template <class Backend>
    static void run(const GatherBeginTask& /*task*/) {}
};

/// The task of `gather`: adds near and far results of one of several groups into the user's arrays,
/// before Runtime::wait(). Groups write disjoint elements of the results side by side, which no
/// mode but R allows. The W of gather_begin orders the groups behind earlier tasks, and nothing is
/// copied between memories.
template <class Real>
struct GatherTask {
    static constexpr std::string_view name = "gather";
    static constexpr Color color = Color::grey;
    const Real* near; ///< R  [n_parts * n], near results of the task's right-hand side
    const Real* far;  ///< R  [n_parts * n]; null in near fields, where the buffer is of any length
    const std::uint32_t* permutation; ///< R  [n]
    UserParts parts;                  ///< R, though results are written
    std::size_t n;

    template <class Buffers>
    static GatherTask of(Buffers& buffers) {
        GatherTask task = of_group(buffers);
        task.parts = {buffers.read_rest(), task.parts.n, buffers.args()};
        return task;
    }

    template <class Isa>
    static void cpu(const GatherTask& task);
    static void cuda(const GatherTask& task);

    /// Returns the sum of both results at place `j` of a part.
    [[nodiscard]] STARFMM_HOST_DEVICE double at(std::size_t j) const {
        return static_cast<double>(near[j]) + (far == nullptr ? 0 : static_cast<double>(far[j]));
    }

protected:
    /// Takes all buffers but those of the results.
    template <class Buffers>
    static GatherTask of_group(Buffers& buffers) {
        GatherTask task{};
        task.near = buffers.template read<ColumnArray<Real>>();
        const std::size_t n_near = buffers.size() / buffers.args().columns;
        task.far = buffers.template read<Real>();
        task.far = buffers.args().is_near_field() ? nullptr : task.far;
        task.permutation = buffers.template read<std::uint32_t>();
        task.n = buffers.size();
        task.parts.n = n_parts(n_near, task.n);
        if (buffers.args().component < task.parts.n) {
            task.near += buffers.args().component * task.n;
            task.far += task.far == nullptr ? 0 : buffers.args().component * task.n;
            task.parts.n = 1;
        }
        return task;
    }
};

/// The task of `gather_all`: the only group overwrites all results.
template <class Real>
struct GatherAllTask : GatherTask<Real> {
    static constexpr std::string_view name = "gather_all";

    template <class Buffers>
    static GatherAllTask of(Buffers& buffers) {
        GatherAllTask task{GatherTask<Real>::of_group(buffers)};
        task.parts = {buffers.write_rest(), task.parts.n, buffers.args()};
        return task;
    }
};

template <class Real>
template <class Isa>
void StrengthsTask<Real>::cpu(const StrengthsTask& task) {
    for (std::size_t part = 0; part < task.parts.n; ++part) {
        const Pieces from = task.parts.of[part]; // a copy, which no store changes
        Real* const to = task.strengths + part * task.n;
        for (std::size_t i = 0; i < task.n; ++i) {
            to[i] = static_cast<Real>(from.at(task.permutation[i]));
        }
    }
}

template <class Real>
template <class Isa>
void GatherTask<Real>::cpu(const GatherTask& task) {
    for (std::size_t part = 0; part < task.parts.n; ++part) {
        for (std::size_t i = 0; i < task.n; ++i) {
            const std::size_t j = part * task.n + i;
            task.parts.of[part].at(task.permutation[i]) = task.at(j);
        }
    }
}

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/exchange/gather.cuh"
#endif
