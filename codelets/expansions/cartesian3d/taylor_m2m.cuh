// SPDX-License-Identifier: BSD-3-Clause
// M2M of Cartesian Taylor expansions of low order on GPUs, a child a thread, with all coefficients
// in registers: a level takes as long as one shift does, and high levels have few boxes.
#pragma once

#include "codelets/expansions/cartesian3d/taylor_order.cuh"
#include "codelets/expansions/m2m.hpp"
#include "codelets/expansions/thread_shift.cuh"

namespace starfmm {

/// Adds the children's multipoles to those of a level's parents, several of them a warp.
template <class K, int P>
__global__ void __launch_bounds__(thread_shift_threads)
    taylor_m2m_kernel(const __grid_constant__ M2MTask<K> task, int level) {
    using Real = typename K::Real;
    constexpr int n = n_cartesian(P);
    constexpr unsigned family = n_children<3>;
    constexpr unsigned families = warp_lanes / family; // of a warp
    const auto tree = task.boxes.tree(task.args);
    const std::size_t end = tree.offset(level + 1);
    const std::size_t first = tree.offset(level) + thread_index() / warp_lanes * families;
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x / family;
    for (std::size_t begin = first; begin < end; begin += step) { // all lanes of a warp alike
        const std::size_t box = begin + threadIdx.x % warp_lanes / family;
        const BoxRange children = box < end ? tree.children(box) : BoxRange{0, 0};
        const std::size_t child = children.begin + threadIdx.x % family;
        Real sum[n] = {};
        if (child < children.end && task.boxes.radius[child] >= 0) { // else it has no sources
            const auto to = expansion_frame<Real>(task.boxes, box);
            const auto from = expansion_frame<Real>(task.boxes, child);
            K::m2m(
                CartesianOrder<P>{P},
                seen_from<Real>(to.centre, from),
                task.multipoles + child * n,
                centred<Real>(to),
                sum
            );
        }
        reduce_registers<n, family>(sum, n, [&](int k, Real coefficient) {
            if (children.begin < children.end) {
                task.multipoles[box * n + k] = coefficient;
            }
        });
    }
}

/// Runs M2M. \returns what with_taylor_order() returns
template <class K>
bool taylor_m2m(const M2MTask<K>& task) {
    return with_taylor_order<K>(task.args.order, [&](auto order) {
        const unsigned blocks = std::min(
            n_blocks(n_children<3> * n_boxes_of<3>(task.args), thread_shift_threads),
            16 * n_multiprocessors()
        );
        for (int level = static_cast<int>(task.args.orthtree.last_level) - 1; level >= 0; --level) {
            taylor_m2m_kernel<K, order()>
                <<<blocks, thread_shift_threads, 0, cuda_stream()>>>(task, level);
            check_cuda(cudaGetLastError(), "launch of taylor_m2m_kernel");
        }
    });
}

} // namespace starfmm
