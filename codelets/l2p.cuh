// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of L2P.
#pragma once

#include "codelets/l2p.hpp"
#include "codelets/p2p.cuh"

namespace starfmm {

/// As P2M: six steps for a leaf of about 45 targets, and each lane loads the coefficients once for
/// all of them.
inline constexpr int l2p_lanes = 8;
inline constexpr int l2p_threads = 128;

template <class K, int P>
__global__ void __launch_bounds__(l2p_threads)
    l2p_kernel(const __grid_constant__ L2PTask<K> task, int n, std::size_t n_chunks) {
    using Real = typename K::Real;
    const Subtree<2>& tree = task.args.tree;
    const std::size_t index = thread_index() / l2p_lanes;
    if (index >= n_chunks) {
        return;
    }
    const TargetChunk chunk = target_chunk(task.target_offsets, tree.leaves(), index);
    if (chunk.begin == chunk.end) {
        return;
    }
    const std::size_t box = tree.offset(tree.last) + chunk.leaf;
    const Frame<Real> frame = task.boxes.frame(box);
    Coefficients<Real, P> local;
    load_row<P>(task.locals + box * n, n, local);
    for (std::size_t i = chunk.begin + threadIdx.x % l2p_lanes; i < chunk.end; i += l2p_lanes) {
        task.far.set(i, K::l2p(compiled_order<P>(task.args.order), frame, local, task.targets[i]));
    }
}

template <class K>
void l2p_cuda(void* buffers[], void* args) {
    const auto task = L2PTask<K>::unpack(buffers, args);
    const int n = K::n_coefficients(task.args.order);
    const std::size_t n_chunks = n_target_chunks(task.args.tree.leaves(), n_points(task.targets));
    const unsigned blocks = n_blocks(n_chunks, l2p_threads / l2p_lanes);
    with_order<K>(task.args.order, [&](auto order) {
        l2p_kernel<K, order()><<<blocks, l2p_threads, 0, cuda_stream()>>>(task, n, n_chunks);
    });
    check_cuda(cudaGetLastError(), "launch of l2p_kernel");
}

} // namespace starfmm
