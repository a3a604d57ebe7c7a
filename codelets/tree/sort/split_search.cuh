// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of split: the searches. They are passes over a chunk's points that bandwidth
// bounds, with counts in shared memory.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/cuda/index_kernel.cuh"
#include "codelets/tree/sort/split_task.hpp"

#include <cub/block/block_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int chunk_threads = 512;

/// Returns the blocks of a pass over a chunk: few, since each has counts of its own to add up.
inline unsigned chunk_blocks(std::size_t n) {
    constexpr std::size_t points_a_thread = 16;
    constexpr unsigned most = 1024;
    return std::min(n_blocks(n, points_a_thread * chunk_threads), most);
}

/// A block's copy of the searches of a depth, and its way through the points: what several of them
/// need is loaded before any is looked at.
class ChunkPass {
public:
    using Search = MedianSearch;
    static constexpr int batch = 4;

    __device__ ChunkPass(const ChunkPoints& points, std::uint64_t* copy)
        : points_(points), searches_(reinterpret_cast<const Search*>(copy)) {}

    static constexpr std::size_t n_words =
        most_split_nodes * sizeof(Search) / sizeof(std::uint64_t);

    /// Copies the searches; __syncthreads() is to follow.
    static __device__ void copy(const Search* searches, unsigned n_nodes, std::uint64_t* out) {
        static_assert(sizeof(Search) % sizeof(std::uint64_t) == 0);
        const auto* words = reinterpret_cast<const std::uint64_t*>(searches);
        const unsigned n = n_nodes * sizeof(Search) / sizeof(std::uint64_t);
        for (unsigned i = threadIdx.x; i < n; i += chunk_threads) {
            out[i] = words[i];
        }
    }

    [[nodiscard]] const __device__ Search& search(unsigned node) const { return searches_[node]; }

    /// Calls `use(i, node, keys)` for the points of this thread; `n_keys` 1: only the key in the
    /// search's direction.
    template <int n_keys, class Use>
    __device__ void run(const Use& use) const {
        const std::size_t stride = std::size_t(gridDim.x) * chunk_threads;
        for (std::size_t first = thread_index(); first < points_.n; first += batch * stride) {
            unsigned nodes[batch];
            OrderedKey keys[batch][n_keys];
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const std::size_t i = first + k * stride;
                nodes[k] = i < points_.n ? points_.labels[i] : 0;
            }
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const std::size_t i = min(first + k * stride, points_.n - 1);
                for (int d = 0; d < n_keys; ++d) {
                    keys[k][d] = points_.key(i, n_keys == 1 ? search(nodes[k]).direction : d);
                }
            }
#pragma unroll
            for (int k = 0; k < batch; ++k) {
                const std::size_t i = first + k * stride;
                if (i < points_.n) {
                    use(i, nodes[k], keys[k]);
                }
            }
        }
    }

    [[nodiscard]] __device__ bool are_decided(unsigned n_nodes) const {
        bool decided = true;
        for (unsigned node = 0; node < n_nodes; ++node) {
            decided = decided && search(node).is_decided();
        }
        return decided;
    }

private:
    const ChunkPoints& points_;
    const Search* searches_;
};

inline __global__ void begin_searches_kernel(
    const __grid_constant__ SplitTallyTask task,
    const __grid_constant__ ChunkArrays<NodeExtent> extents
) {
    const std::uint64_t node = threadIdx.x;
    const MedianSearch above = task.searches[node / 2];
    __syncthreads();
    task.searches[node] = begin_search(task.n_total, task.depth, node, extents, above);
}

/// Follows the searches, a block a node, a thread a bin.
template <class Search>
__global__ void __launch_bounds__(Search::n_bins) follow_searches_kernel(
    Search* searches, const __grid_constant__ ChunkArrays<std::uint32_t> tallies
) {
    using Scan = cub::BlockScan<std::uint32_t, Search::n_bins>;
    __shared__ typename Scan::TempStorage scan;
    Search& search = searches[blockIdx.x];
    if (search.is_decided()) {
        return;
    }
    const std::uint32_t n = bin_count(tallies, blockIdx.x, threadIdx.x);
    std::uint32_t n_before = 0;
    Scan(scan).ExclusiveSum(n, n_before);
    const bool found = search.is_in(n_before, n);
    __syncthreads(); // all have looked at the search
    if (found) {
        search.keep(threadIdx.x, n_before);
    }
}

inline void follow_searches(
    MedianSearch* searches, std::size_t n_nodes, const ChunkArrays<std::uint32_t>& tallies
) {
    constexpr unsigned threads = MedianBins::n_bins;
    follow_searches_kernel<<<static_cast<unsigned>(n_nodes), threads, 0, cuda_stream()>>>(
        searches, tallies
    );
    check_cuda(cudaGetLastError(), "launch of follow_searches_kernel");
}

/// Decides the search of a node, a block a node, by the candidates themselves, if they are all
/// listed.
template <class Search>
__global__ void __launch_bounds__(Search::n_bins) finish_searches_kernel(
    Search* searches, const __grid_constant__ ChunkArrays<MedianCandidate> lists
) {
    constexpr std::uint32_t n_bins = Search::n_bins;
    using Scan = cub::BlockScan<std::uint32_t, n_bins>;
    __shared__ typename Scan::TempStorage scan;
    __shared__ std::uint32_t counts[n_bins];
    Search& search = searches[blockIdx.x];
    bool goes_on = are_complete(lists, blockIdx.x);
    while (goes_on && !search.is_decided()) {
        counts[threadIdx.x] = 0;
        __syncthreads();
        for (std::uint32_t chunk = 0; chunk < lists.n_chunks; ++chunk) {
            const MedianCandidate* list = lists.data[chunk] + blockIdx.x * candidate_list_size;
            for (std::uint32_t i = 1 + threadIdx.x; i <= list->index; i += n_bins) {
                const std::uint32_t bin = search.bin(list[i].key, list[i].index);
                if (bin != MedianBins::no_bin) {
                    atomicAdd(counts + bin, 1U);
                }
            }
        }
        __syncthreads();
        const std::uint32_t n = counts[threadIdx.x];
        std::uint32_t n_before = 0;
        Scan(scan).ExclusiveSum(n, n_before);
        const bool found = search.is_in(n_before, n);
        goes_on = __syncthreads_or(found ? 1 : 0) != 0;
        if (found) {
            search.keep(threadIdx.x, n_before);
        }
        __syncthreads();
    }
}

/// The nodes whose tallies fit into a block's shared memory.
struct NodeRange {
    unsigned first;
    unsigned n;
};

/// Counts candidates.
/// \param range  nodes whose candidates are counted
inline __global__ void __launch_bounds__(chunk_threads)
    tally_kernel(const __grid_constant__ SplitTallyTask task, unsigned n_nodes, NodeRange range) {
    extern __shared__ std::uint32_t counts[];
    __shared__ std::uint64_t searches[ChunkPass::n_words];
    constexpr std::uint32_t n_bins = MedianBins::n_bins;
    ChunkPass::copy(task.searches, n_nodes, searches);
    for (unsigned i = threadIdx.x; i < range.n * n_bins; i += chunk_threads) {
        counts[i] = 0;
    }
    __syncthreads();
    const ChunkPass pass(task.points, searches);
    if (pass.are_decided(n_nodes)) {
        return;
    }
    pass.run<1>([&](std::size_t i, unsigned node, const OrderedKey* key) {
        const std::uint32_t bin = pass.search(node).bin(*key, task.points.index(i));
        if (bin != MedianBins::no_bin && node - range.first < range.n) {
            atomicAdd(counts + (node - range.first) * n_bins + bin, 1U);
        }
    });
    __syncthreads();
    for (unsigned i = threadIdx.x; i < range.n * n_bins; i += chunk_threads) {
        if (counts[i] > 0) {
            atomicAdd(task.out + range.first * n_bins + i, counts[i]);
        }
    }
}

inline void finish_searches(
    MedianSearch* searches, unsigned n_nodes, const ChunkArrays<MedianCandidate>& lists
) {
    finish_searches_kernel<<<n_nodes, MedianBins::n_bins, 0, cuda_stream()>>>(searches, lists);
    check_cuda(cudaGetLastError(), "launch of finish_searches_kernel");
}

__device__ inline void clear_candidates(MedianCandidate* lists, std::size_t node) {
    lists[node * candidate_list_size].index = 0;
}

/// Counts in one pass where all nodes' tallies fit into shared memory.
inline void tally(const SplitTallyTask& task, unsigned n_nodes) {
    constexpr std::size_t node_bytes = MedianBins::n_bins * sizeof(std::uint32_t);
    const auto room = static_cast<unsigned>(block_shared_bytes() / node_bytes);
    const unsigned at_once = std::min(n_nodes, room);
    check_cuda(
        cudaMemsetAsync(task.out, 0, n_nodes * node_bytes, cuda_stream()), "clearing of a tally"
    );
    allow_shared_bytes(tally_kernel, at_once * node_bytes);
    for (unsigned first = 0; first < n_nodes; first += at_once) {
        const NodeRange range{first, std::min(at_once, n_nodes - first)};
        tally_kernel<<<
            chunk_blocks(task.points.n),
            chunk_threads,
            range.n * node_bytes,
            cuda_stream()>>>(task, n_nodes, range);
        check_cuda(cudaGetLastError(), "launch of tally_kernel");
    }
}

inline void SplitTallyTask::cuda(const SplitTallyTask& task) {
    const auto n_nodes = static_cast<unsigned>(task.n_nodes());
    if (task.round == 0) {
        begin_searches_kernel<<<1, n_nodes, 0, cuda_stream()>>>(
            task, ChunkArrays<NodeExtent>::of(task.before, task.n_chunks)
        );
        check_cuda(cudaGetLastError(), "launch of begin_searches_kernel");
    } else {
        const auto tallies = ChunkArrays<std::uint32_t>::of(task.before, task.n_chunks);
        follow_searches(task.searches, n_nodes, tallies);
    }
    tally(task, n_nodes);
}

} // namespace starfmm
