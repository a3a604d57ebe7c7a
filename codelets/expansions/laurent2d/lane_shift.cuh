// SPDX-License-Identifier: BSD-3-Clause
// Laurent2D's M2M and L2L without matrix units: a box a warp, a coefficient a lane, several levels
// a launch.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/tree_levels.cuh"
#include "codelets/expansions/laurent2d/matrix_translation.cuh"

namespace starfmm {

/// A parent and one of its children.
struct Family {
    std::size_t parent;
    std::size_t child;
};

/// Adds coefficient(l, parent, child) to `out` for each l < n, one a lane; frames are given as seen
/// from the parent's centre.
template <class Real, class Coefficient>
__device__ void add_coefficients(
    const BoxView<2>& boxes,
    int n,
    const Family& family,
    Complex<Real>* out,
    const Coefficient& coefficient
) {
    const Frame<double> parent = expansion_frame<Real>(boxes, family.parent);
    const Frame<Real> above = centred<Real>(parent);
    const Frame<Real> below =
        seen_from<Real>(parent.centre, expansion_frame<Real>(boxes, family.child));
    __syncwarp();
    visit_coefficients(n, [&](int l) { out[l] += coefficient(l, above, below); });
}

/// Shifts into the `levels` levels below each box of `level`, or upward into as many from that
/// level on.
/// \tparam Shift is_downward; shift_into(task, n, tree, box): all that shifts into one box
template <class Shift>
__global__ void __launch_bounds__(shift_threads) lane_shift_kernel(
    const __grid_constant__ typename Shift::Task task, int n, int level, int levels
) {
    const TaskTree<2> tree = task.boxes.tree(task.args);
    visit_levels<Shift::is_downward>(tree, level, levels, [&](const BoxRange& range) {
        for (std::size_t box = range.begin + threadIdx.x / warp_lanes; box < range.end;
             box += blockDim.x / warp_lanes) {
            Shift::shift_into(task, n, tree, box);
        }
    });
}

template <class Shift>
void launch_lane_shift(const typename Shift::Task& task, int n, int level, int levels) {
    lane_shift_kernel<Shift><<<level_blocks(task.args, level), shift_threads, 0, cuda_stream()>>>(
        task, n, level, levels
    );
    check_cuda(cudaGetLastError(), "launch of lane_shift_kernel");
}

} // namespace starfmm
