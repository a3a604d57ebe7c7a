// SPDX-License-Identifier: BSD-3-Clause
// M2M and L2L on the FP64 matrix units: the boxes that each warp shifts, several levels a launch.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/tree_levels.cuh"
#include "codelets/expansions/laurent2d/lane_shift.cuh"
#include "codelets/expansions/laurent2d/matrix_translation.cuh"
#include "codelets/expansions/laurent2d/translation_form.cuh"

namespace starfmm {

/// The boxes between which a lane shifts. Where there is no such box, another one takes its number.
struct LaneFamily {
    std::size_t parent;
    std::size_t child;
    bool has_parent; ///< whether there is a parent with children
    bool has_child;  ///< whether there is a child with points
};

/// Returns the families of two parents from `first` on, below `end`, with four children each.
__device__ inline LaneFamily parent_families(
    const TaskTree<2>& tree, const BoxView<2>& boxes, std::size_t first, std::size_t end
) {
    const unsigned slot = threadIdx.x % warp_lanes / box_lanes;
    const std::size_t own = first + slot / n_children<2>;
    const BoxRange children = tree.children(own < end ? own : first);
    const std::size_t child = children.begin + slot % n_children<2>;
    LaneFamily family{own, first, own < end && children.begin < children.end, false};
    if (family.has_parent && child < children.end) {
        family.child = child;
        family.has_child = boxes.radius[child] >= 0;
    }
    family.parent = family.has_parent ? own : first;
    return family;
}

/// Returns the families of eight children from `first` on, below `end`.
__device__ inline LaneFamily
child_families(const TaskTree<2>& tree, std::size_t first, std::size_t end) {
    const std::size_t own = first + threadIdx.x % warp_lanes / box_lanes;
    const bool active = own < end;
    const std::size_t child = active ? own : first;
    return {tree.parent(child), child, active, active};
}

/// Shifts between the lanes' families.
/// \tparam Shift add_long(family): shifts, in all lanes, the lane's child if its shift is long
/// enough for the matrix form, and tells whether it is. add_short(child, parent): shifts any child,
/// the same one in all lanes.
template <class Shift>
__device__ void shift_octet(const Shift& shift, const LaneFamily& family) {
    const bool is_long = shift.add_long(family);
    visit_boxes(family.has_child && !is_long, [&](int box) {
        shift.add_short(
            from_lane(family.child, box * box_lanes), from_lane(family.parent, box * box_lanes)
        );
    });
}

/// Shifts between `levels` levels below each box of `level`.
template <class Shift>
__global__ void __launch_bounds__(shift_threads) matrix_shift_kernel(
    const __grid_constant__ typename Shift::Task task, int n, int level, int levels
) {
    using Pieces = typename Shift::Pieces;
    constexpr unsigned warp_boxes = Shift::is_downward ? octet_boxes : octet_boxes / n_children<2>;
    extern __shared__ double shared_pieces[];
    Pieces::fill(shared_pieces);
    __syncthreads();
    const Pieces pieces(shared_pieces);
    const Shift shift(task, n, pieces);
    const TaskTree<2> tree = task.boxes.tree(task.args);
    visit_levels<Shift::is_downward>(tree, level, levels, [&](const BoxRange& range) {
        for (std::size_t i = range.begin + threadIdx.x / warp_lanes * warp_boxes; i < range.end;
             i += blockDim.x / warp_lanes * warp_boxes) {
            shift_octet(
                shift,
                Shift::is_downward ? child_families(tree, i, range.end)
                                   : parent_families(tree, task.boxes, i, range.end)
            );
        }
    });
}

template <class Shift>
void launch_matrix_shift(const typename Shift::Task& task, int n, int level, int levels) {
    matrix_shift_kernel<Shift>
        <<<level_blocks(task.args, level), shift_threads, Shift::Pieces::n_bytes, cuda_stream()>>>(
            task, n, level, levels
        );
    check_cuda(cudaGetLastError(), "launch of matrix_shift_kernel");
}

/// Runs M2M or L2L by the form that the task takes.
template <class K, class Lanes, template <class, int> class Matrix>
void laurent_shift(const typename Lanes::Task& task, int n) {
    constexpr bool is_downward = Lanes::is_downward;
    if (!takes_matrix_form<K>(task.args)) {
        launch_levels<is_downward>(task.args, [&](int level, int levels) {
            launch_lane_shift<Lanes>(task, n, level, levels);
        });
        return;
    }
    with_matrix_order(task.args.order, [&](auto order) {
        launch_levels<is_downward>(task.args, [&](int level, int levels) {
            launch_matrix_shift<Matrix<K, order()>>(task, n, level, levels);
        });
    });
}

} // namespace starfmm
