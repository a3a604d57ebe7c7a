// SPDX-License-Identifier: BSD-3-Clause
// M2M and L2L of solid harmonics on the FP64 matrix units: eight translations a warp, two levels a
// launch. Single precision is double on the way in and out.
#pragma once

#include "codelets/cuda/tree_levels.cuh"
#include "codelets/expansions/solid3d/octet_translation.cuh"
#include "codelets/expansions/solid3d/warp_room.cuh"

namespace starfmm {

/// Whether a kernel's M2M and L2L are SolidHarmonics3D's; they are not if it replaces them.
template <class K, class Real = typename K::Real, class Base = SolidHarmonics3D<Real>>
inline constexpr bool has_solid_shifts = requires {
    requires(&K::template m2m<Real> == &Base::template m2m<Real>);
    requires(&K::template l2l<Real> == &Base::template l2l<Real>);
};

/// A warp's object in shared memory.
struct ShiftRoom {
    double powers[ShiftPowers::size(max_degrees)];
};

template <int rounds, bool in_shared>
using SolidShiftRoom = WarpRoom<ShiftRoom, in_shared>;

/// The levels that a launch shifts between: the children of a block's box keep its eight warps
/// busy.
inline constexpr int solid_levels_at_once = 2;

/// Shifts into the `levels` levels below each box of `level`, or upward into as many from that
/// level on.
template <class Shift, int rounds, bool in_shared>
__global__ void __launch_bounds__(most_solid_threads) solid_shift_kernel(
    const __grid_constant__ typename Shift::Task task, int n, int level, int levels
) {
    const SolidShiftRoom<rounds, in_shared> memory(task.args.order);
    OwnColumns<in_shared> own;
    const auto columns = own.of(memory, task.args.order);
    const TaskTree<3> tree = task.boxes.tree(task.args);
    visit_levels<Shift::is_downward>(tree, level, levels, [&](const BoxRange& range) {
        for (std::size_t i = range.begin + threadIdx.x / warp_lanes * Shift::warp_boxes;
             i < range.end;
             i += blockDim.x / warp_lanes * Shift::warp_boxes) {
            Shift::template shift<rounds>(task, n, BoxRange{i, range.end}, columns, memory);
        }
    });
}

template <class Shift>
void launch_solid_shift(const typename Shift::Task& task, int n, int level, int levels) {
    const int order = task.args.order;
    with_solid_rounds<SolidShiftRoom>(order, [&](auto rounds, auto in_shared) {
        const std::size_t warp_bytes = SolidShiftRoom<rounds(), in_shared()>::bytes(order);
        const unsigned warps = solid_warps(warp_bytes);
        const auto kernel = solid_shift_kernel<Shift, rounds(), in_shared()>;
        allow_shared_bytes(kernel, warps * warp_bytes);
        const unsigned blocks = level_blocks<3>(task.args, level);
        kernel<<<blocks, warps * warp_lanes, warps * warp_bytes, cuda_stream()>>>(
            task, n, level, levels
        );
    });
    check_cuda(cudaGetLastError(), "launch of solid_shift_kernel");
}

/// Runs M2M or L2L.
template <class Shift>
void solid_shift(const typename Shift::Task& task, int n) {
    const auto launch = [&](int level, int levels) {
        launch_solid_shift<Shift>(task, n, level, levels);
    };
    launch_levels<Shift::is_downward>(task.args, launch, solid_levels_at_once);
}

} // namespace starfmm
