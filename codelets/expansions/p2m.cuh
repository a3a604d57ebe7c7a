// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of P2M.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/expansions/cartesian3d/taylor_order.cuh"
#include "codelets/expansions/p2m.hpp"
#include "codelets/expansions/solid3d/solid_p2m.cuh"

namespace starfmm {

/// The lanes of a leaf: one of about 45 sources takes six of eight lanes' steps; more lanes would
/// spend longer on the reduction than on the sources.
inline constexpr int p2m_lanes = 8;

/// The threads of a block: coefficients take most registers, and small blocks fill what is left of
/// them; a multiprocessor has four blocks where they fit.
inline constexpr int p2m_threads = 128;

/// The thread's part of a leaf's sources, which p2m_lanes share.
template <class K>
struct LeafOfLanes {
    bool active; ///< whether there is such a leaf
    std::size_t box;
    std::size_t begin = 0;
    std::size_t end = 0;

    __device__ explicit LeafOfLanes(const P2MTask<K>& task) {
        const auto tree = task.boxes.tree(task.args);
        const std::size_t leaf = thread_index() / p2m_lanes;
        active = leaf < n_leaves_of<dimension_of<K>>(task.args);
        box = tree.leaf_box(active ? leaf : 0);
        if (active) {
            begin = tree.begin(task.args.n_sources, leaf) + threadIdx.x % p2m_lanes;
            end = tree.begin(task.args.n_sources, leaf + 1);
        }
    }
};

template <class K, class Expansion>
__global__ void __launch_bounds__(p2m_threads, Expansion::blocks)
    p2m_kernel(const __grid_constant__ P2MTask<K> task, int n) {
    using Real = typename K::Real;
    n = Expansion::size(n);
    const auto kernel = kernel_of<K>(task.args.kernel);
    const LeafOfLanes<K> leaf(task);
    const auto frame = expansion_frame<Real>(task.boxes, leaf.box);
    Coefficients<K, Expansion::last> sum;
    clear_row<Expansion::last>(sum, n);
    for (std::size_t i = leaf.begin; i < leaf.end; i += p2m_lanes) {
        kernel.p2m(
            Expansion::order(task.args.order),
            centred<Real>(frame),
            seen_from<Real>(frame.centre, task.sources[i]),
            task.strengths[i],
            sum
        );
    }
    reduce_row<Expansion::last, p2m_lanes>(sum, n, [&](int k, const auto& value) {
        if (leaf.active) {
            task.multipoles[leaf.box * n + k] = value;
        }
    });
}

template <class K>
void generic_p2m(const P2MTask<K>& task, int n) {
    const unsigned blocks =
        n_blocks(n_leaves_of<dimension_of<K>>(task.args), p2m_threads / p2m_lanes);
    with_thread_expansion<K>(task.args.order, [&](auto expansion) {
        p2m_kernel<K, decltype(expansion)><<<blocks, p2m_threads, 0, cuda_stream()>>>(task, n);
    });
    check_cuda(cudaGetLastError(), "launch of p2m_kernel");
}

template <class K>
void P2MTask<K>::cuda(const P2MTask& task) {
    if constexpr (has_solid_sources<K>) {
        solid_p2m(task);
    } else {
        generic_p2m(task, K::n_coefficients(task.args.order));
    }
}

} // namespace starfmm
