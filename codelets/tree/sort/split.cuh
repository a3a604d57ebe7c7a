// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of split: labels.
#pragma once

#include "codelets/tree/sort/split_search.cuh"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Extents of the halves of a depth in shared memory.
template <int D>
struct SharedExtents {
    using Word = unsigned long long; // what atomics take
    Word min[2 * most_split_nodes][D];
    Word max[2 * most_split_nodes][D];
    unsigned count[2 * most_split_nodes];

    __device__ void clear(unsigned n_halves) {
        for (unsigned half = threadIdx.x; half < n_halves; half += chunk_threads) {
            for (int d = 0; d < D; ++d) {
                min[half][d] = ~Word(0);
                max[half][d] = 0;
            }
            count[half] = 0;
        }
    }

    /// Extrema change seldom after the first points, and a look is cheaper than an atomic.
    __device__ void add(unsigned half, int d, OrderedKey key) {
        if (key < *static_cast<volatile Word*>(&min[half][d])) {
            atomicMin(&min[half][d], Word(key));
        }
        if (key > *static_cast<volatile Word*>(&max[half][d])) {
            atomicMax(&max[half][d], Word(key));
        }
    }

    __device__ void add_to(NodeExtent<D>* extents, unsigned n_halves) const {
        for (unsigned half = threadIdx.x; half < n_halves; half += chunk_threads) {
            if (count[half] > 0) {
                NodeExtent<D>& extent = extents[half];
                for (int d = 0; d < D; ++d) {
                    atomicMin(reinterpret_cast<Word*>(&extent.min[d]), min[half][d]);
                    atomicMax(reinterpret_cast<Word*>(&extent.max[d]), max[half][d]);
                }
                atomicAdd(&extent.count, count[half]);
            }
        }
    }
};

template <class Extent>
__global__ void clear_extents_kernel(Extent* extents) {
    extents[threadIdx.x] = {};
}

/// Not an index, which would move the keys out of registers.
template <int D>
__device__ OrderedKey key_of(const OrderedKey* keys, int direction) {
    OrderedKey key = keys[0];
    for (int d = 1; d < D; ++d) {
        key = direction == d ? keys[d] : key;
    }
    return key;
}

/// \tparam measures whether halves get bounds, not only their number of points
template <int D, bool measures>
__global__ void __launch_bounds__(chunk_threads)
    label_kernel(const __grid_constant__ SplitLabelTask<D> task, unsigned n_halves) {
    constexpr int n_keys = measures ? D : 1;
    __shared__ SharedExtents<D> extents;
    __shared__ std::uint64_t searches[ChunkPass<D>::n_words];
    extents.clear(n_halves);
    if (task.n_chunks > 0) {
        ChunkPass<D>::copy(task.searches, n_halves / 2, searches);
    }
    __syncthreads();
    const ChunkPass<D> pass(task.points, searches);
    pass.template run<n_keys>([&](std::size_t i, unsigned node, const OrderedKey* keys) {
        unsigned half = 0;
        if (task.n_chunks > 0) {
            const MedianSearch<D>& search = pass.search(node);
            const OrderedKey key = key_of<n_keys>(keys, search.direction);
            half = 2 * node + (search.is_below(key, task.points.index(i)) ? 0 : 1);
        }
        task.points.labels[i] = static_cast<std::uint8_t>(half);
        if constexpr (measures) {
            for (int d = 0; d < D; ++d) {
                extents.add(half, d, keys[d]);
            }
        }
        atomicAdd(&extents.count[half], 1U);
    });
    __syncthreads();
    extents.add_to(task.extents, n_halves);
}

template <int D>
void label_points(const SplitLabelTask<D>& task) {
    const auto n_halves = static_cast<unsigned>(task.n_halves());
    clear_extents_kernel<<<1, n_halves, 0, cuda_stream()>>>(task.extents);
    check_cuda(cudaGetLastError(), "launch of clear_extents_kernel");
    const auto kernel = task.measures ? label_kernel<D, true> : label_kernel<D, false>;
    kernel<<<chunk_blocks(task.points.n), chunk_threads, 0, cuda_stream()>>>(task, n_halves);
    check_cuda(cudaGetLastError(), "launch of label_kernel");
}

/// Its searches, which are not begun yet, are all of them decided once they are written.
template <int D>
void split_begin_cuda(const SplitLabelTask<D>& task) {
    label_points(task);
}

template <int D>
void split_label_cuda(const SplitLabelTask<D>& task) {
    constexpr unsigned threads = MedianBins::n_bins;
    finish_searches_kernel<<<
        static_cast<unsigned>(task.n_halves() / 2),
        threads,
        0,
        cuda_stream()>>>(
        task.searches, ChunkArrays<MedianCandidate>::of(task.candidates, task.n_chunks)
    );
    check_cuda(cudaGetLastError(), "launch of finish_searches_kernel");
    label_points(task);
}

} // namespace starfmm
