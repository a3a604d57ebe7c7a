// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of M2L.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/m2l.hpp"

namespace starfmm {

/// Rows of 35 to 40 far boxes take five steps of eight lanes.
inline constexpr int m2l_lanes = 8;
inline constexpr int m2l_threads = 128;

/// Level of a row of the far list.
__device__ inline int row_level(const Subtree<2>& tree, std::size_t row) {
    int level = tree.first;
    while (row >= tree.offset(level + 1)) {
        ++level;
    }
    return level;
}

/// One far box a lane, one row a group of lanes.
template <class K, int P>
__global__ void __launch_bounds__(m2l_threads)
    m2l_kernel(const __grid_constant__ M2LTask<K> task, int n) {
    using Real = typename K::Real;
    const Subtree<2>& tree = task.args.tree;
    const std::size_t index = thread_index() / m2l_lanes;
    const bool active = index < tree.total_boxes();
    const std::size_t row = active ? index : 0;
    const int level = row_level(tree, row);
    const ListView far = task.far();
    const Frame<Real> target = task.boxes.frame(row);
    const std::uint32_t end = active ? far.offsets[row + 1] : 0;
    const std::uint32_t begin = active ? far.offsets[row] : 0;
    Coefficients<Real, P> sum;
    clear_row<P>(sum, n);
    for (std::uint32_t e = begin + threadIdx.x % m2l_lanes; e < end; e += m2l_lanes) {
        const std::uint32_t slot = task.slot(level, far.boxes[e]);
        const std::size_t source = task.source_box(level, far.boxes[e]);
        Coefficients<Real, P> multipole;
        load_row<P>(task.multipoles[slot] + source * n, n, multipole);
        K::m2l(
            compiled_order<P>(task.args.order),
            task.sources[slot].frame(source),
            multipole,
            target,
            sum
        );
    }
    __syncwarp();
    reduce_row<P, m2l_lanes, Real>(sum, n, [&](int k, const Complex<Real>& value) {
        if (active) {
            task.locals[row * n + k] = value;
        }
    });
}

template <class K>
void m2l_cuda(void* buffers[], void* args) {
    const auto task = M2LTask<K>::unpack(buffers, args);
    const int n = K::n_coefficients(task.args.order);
    const unsigned blocks = n_blocks(task.args.tree.total_boxes(), m2l_threads / m2l_lanes);
    with_order<K>(task.args.order, [&](auto order) {
        m2l_kernel<K, order()><<<blocks, m2l_threads, 0, cuda_stream()>>>(task, n);
    });
    check_cuda(cudaGetLastError(), "launch of m2l_kernel");
}

} // namespace starfmm
