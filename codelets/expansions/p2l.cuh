// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of P2L.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/expansions/p2l.hpp"
#include "codelets/expansions/solid3d/solid_p2l.cuh"

namespace starfmm {

/// The threads of a block: each of four warps has a leaf of its own, since most leaves have no P2L
/// entry and end at once.
inline constexpr int p2l_threads = 128;

template <class K, int P>
__global__ void __launch_bounds__(p2l_threads)
    p2l_kernel(const __grid_constant__ P2LTask<K> task, int n) {
    using Real = typename K::Real;
    const std::size_t leaf = thread_index() / warp_lanes;
    const ListView list = task.p2l_list();
    if (leaf >= n_leaves_of<dimension_of<K>>(task.args) ||
        list.offsets[leaf] == list.offsets[leaf + 1]) {
        return;
    }
    const auto kernel = kernel_of<K>(task.args.kernel);
    const std::size_t box = task.boxes.tree(task.args).leaf_box(leaf);
    const auto frame = expansion_frame<Real>(task.boxes, box);
    Coefficients<K, P> sum;
    clear_row<P>(sum, n);
    for (std::uint32_t e = list.offsets[leaf]; e < list.offsets[leaf + 1]; ++e) {
        const LeafSources range =
            leaf_sources<dimension_of<K>>(task.args, task.source_leaves, list.boxes[e]);
        for (std::size_t i = range.begin + threadIdx.x % warp_lanes; i < range.end;
             i += warp_lanes) {
            kernel.p2l(
                compiled_order<P>(task.args.order),
                centred<Real>(frame),
                seen_from<Real>(frame.centre, task.sources[range.slot][i]),
                task.strengths[range.slot][i],
                sum
            );
        }
    }
    __syncwarp();
    reduce_row<P, warp_lanes>(sum, n, [&](int k, const auto& value) {
        task.locals[box * n + k] += value;
    });
}

template <class K>
void generic_p2l(const P2LTask<K>& task, int n) {
    const unsigned blocks =
        n_blocks(n_leaves_of<dimension_of<K>>(task.args), p2l_threads / warp_lanes);
    with_order<K>(task.args.order, [&](auto order) {
        p2l_kernel<K, order()><<<blocks, p2l_threads, 0, cuda_stream()>>>(task, n);
    });
    check_cuda(cudaGetLastError(), "launch of p2l_kernel");
}

template <class K>
void P2LTask<K>::cuda(const P2LTask& task) {
    if constexpr (has_solid_sources<K>) {
        launch_solid_points<K>(solid_p2l_kernel<K>, task, n_leaves_of<3>(task.args));
    } else {
        generic_p2l(task, K::n_coefficients(task.args.order));
    }
}

} // namespace starfmm
