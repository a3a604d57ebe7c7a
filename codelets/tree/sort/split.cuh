// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of split: labels.
#pragma once

#include "codelets/tree/sort/split_search.cuh"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Adds an extent, empty or not, to one in global memory.
inline __device__ void add_extent(const NodeExtent& extent, NodeExtent& all) {
    using Word = unsigned long long; // what atomics take
    if (extent.count > 0) {
        for (int d = 0; d < 2; ++d) {
            atomicMin(reinterpret_cast<Word*>(&all.min[d]), Word(extent.min[d]));
            atomicMax(reinterpret_cast<Word*>(&all.max[d]), Word(extent.max[d]));
        }
        atomicAdd(&all.count, extent.count);
    }
}

/// The extents of the halves of a depth in shared memory.
class SharedExtents {
public:
    /// Clears the extents; __syncthreads() is to follow.
    __device__ void clear(unsigned n_halves) {
        for (unsigned half = threadIdx.x; half < n_halves; half += chunk_threads) {
            for (int d = 0; d < 2; ++d) {
                min_[half][d] = ~Word(0);
                max_[half][d] = 0;
            }
            count_[half] = 0;
        }
    }

    /// Adds a point. Extrema change seldom after the first points, and a look is cheaper than an
    /// atomic.
    /// \tparam n_keys 2, or 1: the point is counted only
    template <int n_keys>
    __device__ void add(unsigned half, const OrderedKey* keys) {
        for (int d = 0; d < 2 && n_keys == 2; ++d) {
            if (keys[d] < *static_cast<volatile Word*>(&min_[half][d])) {
                atomicMin(&min_[half][d], Word(keys[d]));
            }
            if (keys[d] > *static_cast<volatile Word*>(&max_[half][d])) {
                atomicMax(&max_[half][d], Word(keys[d]));
            }
        }
        atomicAdd(&count_[half], 1U);
    }

    __device__ void add_to(NodeExtent* extents, unsigned n_halves) const {
        for (unsigned half = threadIdx.x; half < n_halves; half += chunk_threads) {
            NodeExtent extent;
            for (int d = 0; d < 2; ++d) {
                extent.min[d] = min_[half][d];
                extent.max[d] = max_[half][d];
            }
            extent.count = count_[half];
            add_extent(extent, extents[half]);
        }
    }

private:
    using Word = unsigned long long; // what atomics take
    Word min_[2 * most_split_nodes][2];
    Word max_[2 * most_split_nodes][2];
    unsigned count_[2 * most_split_nodes];
};

__device__ inline void clear_extent(NodeExtent* extents, std::size_t i) {
    extents[i] = {};
}

/// Returns a key, not by an index, which would move the keys out of registers.
template <int n_keys>
__device__ OrderedKey key_of(const OrderedKey* keys, int direction) {
    return n_keys == 2 && direction == 1 ? keys[1] : keys[0];
}

/// Parts the points.
/// \tparam n_keys  keys of a point, 2: halves get bounds, or 1: only their number of points
template <int n_keys>
__global__ void __launch_bounds__(chunk_threads)
    part_kernel(const __grid_constant__ SplitCandidatesTask task) {
    const auto n_nodes = static_cast<unsigned>(task.n_nodes());
    __shared__ SharedExtents extents;
    __shared__ std::uint64_t searches[ChunkPass::n_words];
    extents.clear(2 * n_nodes);
    ChunkPass::copy(task.searches, n_nodes, searches);
    __syncthreads();
    const ChunkPass pass(task.points, searches);
    pass.run<n_keys>([&](std::size_t i, unsigned node, const OrderedKey* keys) {
        const MedianSearch& search = pass.search(node);
        const OrderedKey key = key_of<n_keys>(keys, search.direction);
        const std::uint32_t index = task.points.index(i);
        const bool is_candidate = search.is_candidate(key, index);
        const unsigned half = 2 * node + (!is_candidate && search.is_below(key, index) ? 0 : 1);
        task.points.labels[i] = static_cast<std::uint8_t>(half);
        if (is_candidate) {
            MedianCandidate* list = task.out + node * candidate_list_size;
            const std::uint32_t n = 1 + atomicAdd(&list->index, 1U);
            if (n < candidate_list_size) {
                list[n] = {key, index};
            }
        } else {
            extents.add<n_keys>(half, keys);
        }
    });
    __syncthreads();
    extents.add_to(task.extents, 2 * n_nodes);
}

/// Labels points with the root.
inline __global__ void __launch_bounds__(chunk_threads)
    begin_kernel(const __grid_constant__ SplitBeginTask task) {
    __shared__ SharedExtents extents;
    extents.clear(1);
    __syncthreads();
    const std::size_t stride = std::size_t(gridDim.x) * chunk_threads;
    for (std::size_t i = thread_index(); i < task.points.n; i += stride) {
        task.points.labels[i] = 0;
        OrderedKey keys[2];
        for (int d = 0; d < 2; ++d) {
            keys[d] = task.points.key(i, d);
        }
        extents.add<2>(0, keys);
    }
    __syncthreads();
    extents.add_to(task.extents, 1);
}

/// Labels candidates, a block a node and chunk: those of the node's candidates there that are this
/// chunk's.
inline __global__ void __launch_bounds__(chunk_threads) label_kernel(
    const __grid_constant__ SplitLabelTask task,
    const __grid_constant__ ChunkArrays<MedianCandidate> lists
) {
    const unsigned node = blockIdx.x;
    if (!task.searches[node].is_decided()) {
        return;
    }
    const MedianCandidate* list = lists.data[blockIdx.y] + node * candidate_list_size;
    for (std::uint32_t k = 1 + threadIdx.x; k <= list->index; k += chunk_threads) {
        task.place(node, list[k], [&](std::size_t half, std::uint32_t i) {
            task.points.labels[i] = static_cast<std::uint8_t>(half);
            add_extent(task.extent(i), task.out[half]);
        });
    }
}

/// Begins the searches. Those that are not begun yet are all decided once they are written.
inline void SplitBeginTask::cuda(const SplitBeginTask& task) {
    launch_for_each<clear_extent>(1, task.extents);
    begin_kernel<<<chunk_blocks(task.points.n), chunk_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of begin_kernel");
}

inline void SplitCandidatesTask::cuda(const SplitCandidatesTask& task) {
    const auto n_nodes = static_cast<unsigned>(task.n_nodes());
    const auto tallies = ChunkArrays<std::uint32_t>::of(task.before, task.n_chunks);
    follow_searches(task.searches, n_nodes, tallies);
    launch_for_each<clear_candidates>(n_nodes, task.out);
    launch_for_each<clear_extent>(2 * n_nodes, task.extents);
    const auto kernel = task.measures ? part_kernel<2> : part_kernel<1>;
    kernel<<<chunk_blocks(task.points.n), chunk_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of part_kernel");
}

inline void SplitLabelTask::cuda(const SplitLabelTask& task) {
    const auto n_nodes = static_cast<unsigned>(task.n_nodes());
    const auto lists = ChunkArrays<MedianCandidate>::of(task.before, task.n_chunks);
    finish_searches(task.searches, n_nodes, lists);
    label_kernel<<<dim3(n_nodes, task.n_chunks), chunk_threads, 0, cuda_stream()>>>(task, lists);
    check_cuda(cudaGetLastError(), "launch of label_kernel");
}

} // namespace starfmm
