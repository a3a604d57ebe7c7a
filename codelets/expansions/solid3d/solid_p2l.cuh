// SPDX-License-Identifier: BSD-3-Clause
// P2L of solid harmonics: a leaf a warp.
#pragma once

#include "codelets/expansions/p2l.hpp"
#include "codelets/expansions/solid3d/harmonic_sums.cuh"

namespace starfmm {

/// Of a leaf.
template <class K>
__device__ void
solid_p2l_leaf(const P2LTask<K>& task, int n, std::size_t leaf, const SolidPointsRoom<K>& memory) {
    using Real = typename K::Real;
    const ListView list = task.p2l_list();
    if (list.offsets[leaf] == list.offsets[leaf + 1]) {
        return;
    }
    const std::size_t box = task.boxes.tree(task.args).leaf_box(leaf);
    const auto frame = expansion_frame<Real>(task.boxes, box);
    const auto own = centred<Real>(frame);
    double* row = memory.row();
    visit_lanes(n, [&](int k) { row[k] = 0; });
    __syncwarp();
    HarmonicSums<Real> sums(row);
    for (std::uint32_t e = list.offsets[leaf]; e < list.offsets[leaf + 1]; ++e) {
        const LeafSources range = leaf_sources<3>(task.args, task.source_leaves, list.boxes[e]);
        sums.add(task.args.order, range.end - range.begin, [&](std::size_t k) {
            const std::size_t source = range.begin + k;
            const auto z = seen_from<Real>(frame.centre, task.sources[range.slot][source]);
            return K::local_source(own, z, Real(task.strengths[range.slot][source]));
        });
    }
    __syncwarp();
    Real* local = task.locals + box * n;
    visit_lanes(n, [&](int k) { local[k] += static_cast<Real>(row[k]); });
    __syncwarp();
}

/// A leaf a warp at a time.
template <class K>
__global__ void __launch_bounds__(most_solid_threads)
    solid_p2l_kernel(const __grid_constant__ P2LTask<K> task, int n) {
    const SolidPointsRoom<K> memory(task.args.order);
    visit_warp_rows(n_leaves_of<3>(task.args), [&](std::size_t leaf) {
        solid_p2l_leaf(task, n, leaf, memory);
    });
}

} // namespace starfmm
