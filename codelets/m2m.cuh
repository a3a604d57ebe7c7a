// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of M2M.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/m2m.hpp"

namespace starfmm {

/// One thread a child: 256 threads are the children of 64 parents.
inline constexpr int m2m_threads = 256;

/// Shifts one child a thread and sums over the four of each parent.
template <class K, int P>
__device__ void m2m_child(const M2MTask<K>& task, int n, int level, std::size_t index) {
    using Real = typename K::Real;
    const Subtree<2>& tree = task.args.tree;
    const bool active = index < tree.boxes(level + 1);
    const std::size_t i = active ? index : 0;
    const std::size_t child = tree.offset(level + 1) + i;
    const std::size_t parent = tree.offset(level) + i / n_children<2>;
    Coefficients<Real, P> multipole;
    Coefficients<Real, P> sum;
    load_row<P>(task.multipoles + child * n, n, multipole);
    clear_row<P>(sum, n);
    K::m2m(
        compiled_order<P>(task.args.order),
        task.boxes.frame(child),
        multipole,
        task.boxes.frame(parent),
        sum
    );
    reduce_row<P, n_children<2>, Real>(sum, n, [&](int k, const Complex<Real>& value) {
        if (active) {
            task.multipoles[parent * n + k] = value;
        }
    });
}

template <class K, int P>
__global__ void __launch_bounds__(m2m_threads)
    m2m_kernel(const __grid_constant__ M2MTask<K> task, int n, int level) {
    m2m_child<K, P>(task, n, level, thread_index());
}

/// The levels above `level`, which one block covers, in one launch.
template <class K, int P>
__global__ void __launch_bounds__(m2m_threads)
    m2m_top_kernel(const __grid_constant__ M2MTask<K> task, int n, int level) {
    for (; level >= task.args.tree.first; --level) {
        m2m_child<K, P>(task, n, level, threadIdx.x);
        __syncthreads();
    }
}

/// The roots of the groups into the finest level of the top.
template <class K>
__global__ void m2m_roots_kernel(const __grid_constant__ M2MTask<K> task, int n) {
    const Subtree<2>& tree = task.args.tree;
    const std::size_t i = thread_index();
    if (i < std::size_t(task.args.n_slots) * n) {
        task.multipoles[tree.offset(tree.last) * n + i] = task.roots[i / n][i % n];
    }
}

template <class K>
void m2m_cuda(void* buffers[], void* args) {
    const auto task = M2MTask<K>::unpack(buffers, args);
    const Subtree<2>& tree = task.args.tree;
    const int n = K::n_coefficients(task.args.order);
    if (task.args.n_slots > 0) {
        const unsigned blocks = n_blocks(std::size_t(task.args.n_slots) * n, m2m_threads);
        m2m_roots_kernel<K><<<blocks, m2m_threads, 0, cuda_stream()>>>(task, n);
        check_cuda(cudaGetLastError(), "launch of m2m_roots_kernel");
    }
    with_order<K>(task.args.order, [&](auto order) {
        int level = tree.last - 1;
        for (; level >= tree.first && tree.boxes(level + 1) > m2m_threads; --level) {
            const unsigned blocks = n_blocks(tree.boxes(level + 1), m2m_threads);
            m2m_kernel<K, order()><<<blocks, m2m_threads, 0, cuda_stream()>>>(task, n, level);
            check_cuda(cudaGetLastError(), "launch of m2m_kernel");
        }
        m2m_top_kernel<K, order()><<<1, m2m_threads, 0, cuda_stream()>>>(task, n, level);
    });
    check_cuda(cudaGetLastError(), "launch of m2m_top_kernel");
}

} // namespace starfmm
