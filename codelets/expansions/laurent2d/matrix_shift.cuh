// SPDX-License-Identifier: BSD-3-Clause
// M2M and L2L on the FP64 matrix units: which warp shifts which boxes, several levels a launch.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/expansions/laurent2d/matrix_translation.cuh"
#include "core/tree/pyramid.hpp"

namespace starfmm {

/// Up to eight children of `level`, from `first`, below `end`, and their parents; all are multiples
/// of four.
/// \tparam Shift add_long(child, parent, active): all lanes; the lane's child if it is active and
/// its shift is long enough for the matrix form, and whether it is. add_short(child, parent): any
/// child, the same one in all lanes.
template <class Shift>
__device__ void shift_octet(
    const Shift& shift, const Pyramid<2>& tree, int level, std::size_t first, std::size_t end
) {
    const std::size_t own = first + threadIdx.x % warp_lanes / box_lanes;
    const bool active = own < end;
    const std::size_t children = tree.offset(level);
    const std::size_t parents = tree.offset(level - 1);
    const std::size_t child = children + (active ? own : first);
    const std::size_t parent = parents + (active ? own : first) / n_children<2>;
    const bool is_long = shift.add_long(child, parent, active);
    visit_boxes(active && !is_long, [&](int box) {
        shift.add_short(children + first + box, parents + (first + box) / n_children<2>);
    });
}

/// Children of `levels` levels below each box of `level`, a block each.
template <class Shift>
__global__ void __launch_bounds__(shift_threads) matrix_shift_kernel(
    const __grid_constant__ typename Shift::Task task, int n, int level, int levels
) {
    using Pieces = typename Shift::Pieces;
    extern __shared__ double shared_pieces[];
    Pieces::fill(shared_pieces);
    __syncthreads();
    const Pieces pieces(shared_pieces);
    const Shift shift(task, n, pieces);
    for (int step = 1; step <= levels; ++step) {
        const int below = Shift::is_downward ? step : levels + 1 - step;
        const std::size_t first = blockIdx.x * n_boxes<2>(below);
        const std::size_t end = first + n_boxes<2>(below);
        for (std::size_t i = first + threadIdx.x / warp_lanes * octet_boxes; i < end;
             i += blockDim.x / warp_lanes * octet_boxes) {
            shift_octet(shift, task.args.tree, level + below, i, end);
        }
        __syncthreads();
    }
}

template <class Shift>
void launch_matrix_shift(const typename Shift::Task& task, int n, int level, int levels) {
    const auto blocks = static_cast<unsigned>(task.args.tree.boxes(level));
    matrix_shift_kernel<Shift>
        <<<blocks, shift_threads, Shift::Pieces::n_bytes, cuda_stream()>>>(task, n, level, levels);
    check_cuda(cudaGetLastError(), "launch of matrix_shift_kernel");
}

} // namespace starfmm
