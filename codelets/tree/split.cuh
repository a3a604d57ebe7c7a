// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of split: labels.
#pragma once

#include "codelets/tree/split_search.cuh"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Extents of the halves of a depth in shared memory.
struct SharedExtents {
    using Word = unsigned long long; // what atomics take
    Word min[2 * most_split_nodes][2];
    Word max[2 * most_split_nodes][2];
    unsigned count[2 * most_split_nodes];

    __device__ void clear(unsigned n_halves) {
        for (unsigned half = threadIdx.x; half < n_halves; half += chunk_threads) {
            for (int d = 0; d < 2; ++d) {
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

    __device__ void add_to(NodeExtent* extents, unsigned n_halves) const {
        for (unsigned half = threadIdx.x; half < n_halves; half += chunk_threads) {
            if (count[half] > 0) {
                NodeExtent& extent = extents[half];
                for (int d = 0; d < 2; ++d) {
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

/// \tparam measures whether halves get bounds, not only their number of points
template <bool measures>
__global__ void __launch_bounds__(chunk_threads)
    label_kernel(const __grid_constant__ SplitLabelTask task, unsigned n_halves) {
    __shared__ SharedExtents extents;
    __shared__ std::uint64_t searches[ChunkPass::n_words];
    extents.clear(n_halves);
    if (task.n_chunks > 0) {
        ChunkPass::copy(task.searches, n_halves / 2, searches);
    }
    __syncthreads();
    const ChunkPass pass(task.points, searches);
    pass.run<measures ? 2 : 1>([&](std::size_t i, unsigned node, const OrderedKey* keys) {
        unsigned half = 0;
        if (task.n_chunks > 0) {
            const MedianSearch& search = pass.search(node);
            const OrderedKey key = measures && search.direction == 1 ? keys[1] : keys[0];
            half = 2 * node + (search.is_below(key, task.points.index(i)) ? 0 : 1);
        }
        task.points.labels[i] = static_cast<std::uint8_t>(half);
        if constexpr (measures) {
            extents.add(half, 0, keys[0]);
            extents.add(half, 1, keys[1]);
        }
        atomicAdd(&extents.count[half], 1U);
    });
    __syncthreads();
    extents.add_to(task.extents, n_halves);
}

inline void label_points(const SplitLabelTask& task) {
    const auto n_halves = static_cast<unsigned>(task.n_halves());
    clear_extents_kernel<<<1, n_halves, 0, cuda_stream()>>>(task.extents);
    check_cuda(cudaGetLastError(), "launch of clear_extents_kernel");
    const auto kernel = task.measures ? label_kernel<true> : label_kernel<false>;
    kernel<<<chunk_blocks(task.points.n), chunk_threads, 0, cuda_stream()>>>(task, n_halves);
    check_cuda(cudaGetLastError(), "launch of label_kernel");
}

/// Its searches, which are not begun yet, are all of them decided once they are written.
inline void split_begin_cuda(const SplitLabelTask& task) {
    label_points(task);
}

inline void split_label_cuda(const SplitLabelTask& task) {
    constexpr unsigned threads = MedianSearch::n_bins;
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
