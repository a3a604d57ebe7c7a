// SPDX-License-Identifier: BSD-3-Clause
// P2L of solid harmonics: a warp has a leaf.
#pragma once

#include "codelets/expansions/p2l.hpp"
#include "codelets/expansions/solid3d/harmonic_sums.cuh"

namespace starfmm {

/// Runs P2L, a leaf a warp at a time.
template <class K>
__global__ void __launch_bounds__(solid_points_warps* warp_lanes)
    solid_p2l_kernel(const __grid_constant__ P2LTask<K> task, int n) {
    using Real = typename K::Real;
    const auto tree = task.boxes.tree(task.args);
    const ListView list = task.p2l_list();
    const HarmonicSteps<Real> steps(task.args.order);
    HarmonicSums<Real, warp_lanes> sums(task.args.order, steps);
    visit_warp_rows(n_leaves_of<3>(task.args), [&](std::size_t leaf) {
        const std::size_t box = tree.leaf_box(leaf);
        const auto frame = expansion_frame<Real>(task.boxes, box);
        const auto own = centred<Real>(frame);
        for (std::uint32_t e = list.offsets[leaf]; e < list.offsets[leaf + 1]; ++e) {
            const LeafSources range = leaf_sources<3>(task.args, task.source_leaves, list.boxes[e]);
            const auto source_at = [&](std::size_t k) {
                const std::size_t source = range.begin + k;
                const auto z = seen_from<Real>(frame.centre, task.sources[range.slot][source]);
                return K::local_source(own, z, Real(task.strengths[range.slot][source]));
            };
            sums.add_up(range.end - range.begin, source_at, task.locals + box * n, true);
        }
    });
}

} // namespace starfmm
