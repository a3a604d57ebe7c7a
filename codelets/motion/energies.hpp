// SPDX-License-Identifier: BSD-3-Clause
// Energies: what the motion of bodies conserves, energies and momenta. O(n).
#pragma once

#include "codelets/task/codelet.hpp"
#include "core/particles/motion_sums.hpp"

#include <cstddef>
#include <string_view>

namespace starfmm {

/// The number of sums that a task of energies leaves, which are to be added in their order. Each
/// sum takes every n_energies-th of pieces of energies_piece bodies. So the order of additions is
/// that of the bodies' numbers, on any worker of a kind.
inline constexpr std::size_t n_energies = 512;
inline constexpr std::size_t energies_piece = 256;

/// The task of `energies`, for bodies whose potentials are a tree's sums.
struct EnergiesTask {
    static constexpr std::string_view name = "energies";
    static constexpr Color color = Color::amber;
    MotionSums* sums;      ///< W [n_energies]
    const double* mass;    ///< R [n]
    const double* of_tree; ///< R [n] sums over all others, which SumFactors make potentials
    const double* x[3];    ///< R [n] each
    const double* v[3];    ///< R [n] each
    std::size_t n;
    double potential;

    template <class Buffers>
    static EnergiesTask of(Buffers& buffers) {
        EnergiesTask task{};
        task.sums = buffers.template write<MotionSums>();
        task.mass = buffers.template read<double>();
        task.of_tree = buffers.template read<double>();
        for (const double*& component : task.x) {
            component = buffers.template read<double>();
        }
        for (const double*& component : task.v) {
            component = buffers.template read<double>();
        }
        task.n = buffers.size();
        task.potential = buffers.args().motion.potential;
        return task;
    }

    template <class Isa>
    static void cpu(const EnergiesTask& task);
    static void cuda(const EnergiesTask& task);
};

/// Returns what body `i` contributes to the sums.
STARFMM_HOST_DEVICE inline MotionSums motion_of(const EnergiesTask& task, std::size_t i) {
    const double mass = task.mass[i];
    return motion_of(
        mass,
        {task.x[0][i], task.x[1][i], task.x[2][i]},
        {task.v[0][i], task.v[1][i], task.v[2][i]},
        task.potential * task.of_tree[i]
    );
}

template <class Isa>
void EnergiesTask::cpu(const EnergiesTask& task) {
    for (std::size_t s = 0; s < n_energies; ++s) {
        task.sums[s] = {};
    }
    for (std::size_t i = 0; i < task.n; ++i) {
        MotionSums& sum = task.sums[i / energies_piece % n_energies];
        sum = sum + motion_of(task, i);
    }
}

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/motion/energies.cuh"
#endif
