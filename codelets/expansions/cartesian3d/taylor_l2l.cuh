// SPDX-License-Identifier: BSD-3-Clause
// L2L of Cartesian Taylor expansions of low order on GPUs, a box a thread, with all coefficients in
// registers. The rows of a block's boxes follow each other: they come and go through shared memory
// by whole lines.
#pragma once

#include "codelets/expansions/cartesian3d/taylor_order.cuh"
#include "codelets/expansions/l2l.hpp"

#include <algorithm>

namespace starfmm {

inline constexpr int taylor_l2l_threads = 128;

/// The local expansions of a block's boxes, one a lane of its first warp. Rows of an odd number of
/// words meet all banks.
template <class Real, int P>
struct TaylorRows {
    static constexpr unsigned n = n_cartesian(P);
    static constexpr unsigned boxes = warp_lanes;
    Real of[boxes][n | 1];

    /// Calls visit(coefficient, its number among those of the boxes' rows) for the thread's part.
    template <class Visit>
    __device__ void for_each(unsigned n_rows, const Visit& visit) {
        constexpr unsigned turns = (boxes * n + taylor_l2l_threads - 1) / taylor_l2l_threads;
#pragma unroll
        for (unsigned turn = 0; turn < turns; ++turn) {
            const unsigned i = turn * taylor_l2l_threads + threadIdx.x;
            if (i < n_rows * n) {
                visit(of[i / n][i % n], i);
            }
        }
    }
};

/// Adds the parent's local expansion to the box's.
template <class K, int P>
__device__ void add_taylor_parent(
    const L2LTask<K>& task, std::size_t box, std::size_t parent, typename K::Real* row
) {
    using Real = typename K::Real;
    constexpr int n = n_cartesian(P);
    const auto from = expansion_frame<Real>(task.boxes, parent);
    const auto to = expansion_frame<Real>(task.boxes, box);
    Real sum[n];
    load_row<n - 1>(row, n, sum);
    K::l2l(
        CartesianOrder<P>{P},
        centred<Real>(from),
        task.locals + parent * n,
        seen_from<Real>(from.centre, to),
        sum
    );
    store_row<n - 1>(sum, n, row);
}

/// Adds the parents' local expansions to those of a level's boxes.
template <class K, int P>
__global__ void __launch_bounds__(taylor_l2l_threads)
    taylor_l2l_kernel(const __grid_constant__ L2LTask<K> task, int level) {
    using Real = typename K::Real;
    using Rows = TaylorRows<Real, P>;
    __shared__ Rows rows;
    const auto tree = task.boxes.tree(task.args);
    const std::size_t end = tree.offset(level + 1);
    const std::size_t step = std::size_t(gridDim.x) * Rows::boxes;
    for (std::size_t begin = tree.offset(level) + std::size_t(blockIdx.x) * Rows::boxes;
         begin < end;
         begin += step) {
        const auto n_rows =
            end - begin < Rows::boxes ? static_cast<unsigned>(end - begin) : Rows::boxes;
        Real* const locals = task.locals + begin * Rows::n;
        rows.for_each(n_rows, [&](Real& coefficient, unsigned i) { coefficient = locals[i]; });
        __syncthreads();
        if (threadIdx.x < n_rows) {
            const std::size_t box = begin + threadIdx.x;
            add_taylor_parent<K, P>(task, box, tree.parent(box), rows.of[threadIdx.x]);
        }
        __syncthreads();
        rows.for_each(n_rows, [&](Real& coefficient, unsigned i) { locals[i] = coefficient; });
        __syncthreads(); // before the next boxes' rows
    }
}

/// Runs L2L. \returns what with_taylor_order() returns
template <class K>
bool taylor_l2l(const L2LTask<K>& task) {
    return with_taylor_order<K>(task.args.order, [&](auto order) {
        const unsigned blocks =
            std::min(n_blocks(n_boxes_of<3>(task.args), warp_lanes), 16 * n_multiprocessors());
        for (int level = 1; level <= static_cast<int>(task.args.orthtree.last_level); ++level) {
            taylor_l2l_kernel<K, order()>
                <<<blocks, taylor_l2l_threads, 0, cuda_stream()>>>(task, level);
            check_cuda(cudaGetLastError(), "launch of taylor_l2l_kernel");
        }
    });
}

} // namespace starfmm
