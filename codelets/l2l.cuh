// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of L2L.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/l2l.hpp"

namespace starfmm {

/// One thread a child: 256 threads are the largest level that one block covers.
inline constexpr int l2l_threads = 256;

template <class K, int P>
__device__ void l2l_child(const L2LTask<K>& task, int n, int level, std::size_t index) {
    using Real = typename K::Real;
    const Subtree<2>& tree = task.args.tree;
    if (index >= tree.boxes(level)) {
        return;
    }
    const std::size_t child = tree.offset(level) + index;
    const std::size_t parent = tree.offset(level - 1) + index / n_children<2>;
    Coefficients<Real, P> local;
    Coefficients<Real, P> sum;
    load_row<P>(task.locals + parent * n, n, local);
    load_row<P>(task.locals + child * n, n, sum);
    K::l2l(
        compiled_order<P>(task.args.order),
        task.boxes.frame(parent),
        local,
        task.boxes.frame(child),
        sum
    );
    store_row<P>(sum, n, task.locals + child * n);
}

template <class K, int P>
__global__ void __launch_bounds__(l2l_threads)
    l2l_kernel(const __grid_constant__ L2LTask<K> task, int n, int level) {
    l2l_child<K, P>(task, n, level, thread_index());
}

/// The levels down to `last`, which one block covers, in one launch; first the top's row for the
/// root.
template <class K, int P>
__global__ void __launch_bounds__(l2l_threads)
    l2l_top_kernel(const __grid_constant__ L2LTask<K> task, int n, int last) {
    if (task.top_locals != nullptr && static_cast<int>(threadIdx.x) < n) {
        task.locals[threadIdx.x] = task.top_locals[task.top_box * n + threadIdx.x];
    }
    for (int level = task.args.tree.first + 1; level <= last; ++level) {
        __syncthreads();
        l2l_child<K, P>(task, n, level, threadIdx.x);
    }
}

template <class K>
void l2l_cuda(void* buffers[], void* args) {
    const auto task = L2LTask<K>::unpack(buffers, args);
    const Subtree<2>& tree = task.args.tree;
    const int n = K::n_coefficients(task.args.order);
    with_order<K>(task.args.order, [&](auto order) {
        int level = tree.first;
        while (level < tree.last && tree.boxes(level + 1) <= l2l_threads) {
            ++level;
        }
        l2l_top_kernel<K, order()><<<1, l2l_threads, 0, cuda_stream()>>>(task, n, level);
        check_cuda(cudaGetLastError(), "launch of l2l_top_kernel");
        for (++level; level <= tree.last; ++level) {
            const unsigned blocks = n_blocks(tree.boxes(level), l2l_threads);
            l2l_kernel<K, order()><<<blocks, l2l_threads, 0, cuda_stream()>>>(task, n, level);
            check_cuda(cudaGetLastError(), "launch of l2l_kernel");
        }
    });
}

} // namespace starfmm
