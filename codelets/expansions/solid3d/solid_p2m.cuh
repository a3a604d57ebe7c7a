// SPDX-License-Identifier: BSD-3-Clause
// P2M of solid harmonics: a warp has four leaves.
#pragma once

#include "codelets/expansions/p2m.hpp"
#include "codelets/expansions/solid3d/harmonic_sums.cuh"

namespace starfmm {

/// The lanes of a leaf: 45 sources are six a lane.
inline constexpr int solid_p2m_lanes = 8;
inline constexpr int solid_p2m_leaves = warp_lanes / solid_p2m_lanes;

template <class K>
__global__ void __launch_bounds__(solid_points_warps* warp_lanes)
    solid_p2m_kernel(const __grid_constant__ P2MTask<K> task, int n) {
    using Real = typename K::Real;
    const auto tree = task.boxes.tree(task.args);
    const std::size_t n_leaves = n_leaves_of<3>(task.args);
    const HarmonicSteps<Real> steps(task.args.order);
    HarmonicSums<Real, solid_p2m_lanes> sums(task.args.order, steps);
    visit_warp_rows((n_leaves + solid_p2m_leaves - 1) / solid_p2m_leaves, [&](std::size_t row) {
        const std::size_t leaf =
            solid_p2m_leaves * row + threadIdx.x % warp_lanes / solid_p2m_lanes;
        const bool exists = leaf < n_leaves;
        const std::size_t box = tree.leaf_box(exists ? leaf : 0);
        const auto frame = expansion_frame<Real>(task.boxes, box);
        const auto own = centred<Real>(frame);
        const std::size_t begin = exists ? tree.begin(task.args.n_sources, leaf) : 0;
        const std::size_t end = exists ? tree.begin(task.args.n_sources, leaf + 1) : 0;
        const auto source_at = [&](std::size_t k) {
            const auto z = seen_from<Real>(frame.centre, task.sources[begin + k]);
            return K::multipole_source(own, z, Real(task.strengths[begin + k]));
        };
        Real* multipole = exists ? task.multipoles + box * n : nullptr;
        sums.add_up(end - begin, source_at, multipole, false);
    });
}

template <class K>
void solid_p2m(const P2MTask<K>& task) {
    const std::size_t n_rows =
        (n_leaves_of<3>(task.args) + solid_p2m_leaves - 1) / solid_p2m_leaves;
    launch_solid_points<K>(solid_p2m_kernel<K>, task, n_rows);
}

} // namespace starfmm
