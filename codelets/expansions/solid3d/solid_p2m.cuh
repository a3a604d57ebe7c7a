// SPDX-License-Identifier: BSD-3-Clause
// P2M of solid harmonics: a leaf a warp.
#pragma once

#include "codelets/expansions/p2m.hpp"
#include "codelets/expansions/solid3d/harmonic_sums.cuh"

namespace starfmm {

/// Of a leaf.
template <class K>
__device__ void
solid_p2m_leaf(const P2MTask<K>& task, int n, std::size_t leaf, const SolidPointsRoom<K>& memory) {
    using Real = typename K::Real;
    const auto tree = task.boxes.tree(task.args);
    const std::size_t box = tree.leaf_box(leaf);
    const auto frame = expansion_frame<Real>(task.boxes, box);
    const auto own = centred<Real>(frame);
    const std::size_t begin = tree.begin(task.args.n_sources, leaf);
    const std::size_t n_sources = tree.begin(task.args.n_sources, leaf + 1) - begin;
    double* row = memory.row();
    visit_lanes(n, [&](int k) { row[k] = 0; });
    __syncwarp();
    HarmonicSums<Real> sums(row);
    sums.add(task.args.order, n_sources, [&](std::size_t k) {
        const auto z = seen_from<Real>(frame.centre, task.sources[begin + k]);
        return K::multipole_source(own, z, Real(task.strengths[begin + k]));
    });
    __syncwarp();
    Real* multipole = task.multipoles + box * n;
    visit_lanes(n, [&](int k) { multipole[k] = static_cast<Real>(row[k]); });
    __syncwarp();
}

/// A leaf a warp at a time.
template <class K>
__global__ void __launch_bounds__(most_solid_threads)
    solid_p2m_kernel(const __grid_constant__ P2MTask<K> task, int n) {
    const SolidPointsRoom<K> memory(task.args.order);
    visit_warp_rows(n_leaves_of<3>(task.args), [&](std::size_t leaf) {
        solid_p2m_leaf(task, n, leaf, memory);
    });
}

} // namespace starfmm
