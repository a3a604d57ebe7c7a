// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of rank: a radix sort of short keys, then the exact order within runs of equal keys.
//
// Runs that the keys do not resolve are short, but for clusters that fall between two samples, and
// equal values, which the stable sort has put into order already.
#pragma once

#include "codelets/rank_keys.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int ranks_a_block = 8 * rank_threads;

inline constexpr int run_threads = 1024;
inline constexpr int run_blocks = 264;
inline constexpr std::uint32_t run_in_block = 3072; ///< most of a run sorted in shared memory

/// Points in the order of their keys, and what they become.
template <class Real>
struct RankRuns {
    const std::uint32_t* keys;    ///< ascending
    const std::uint32_t* indices; ///< of the points
    RankTask<Real> task;
    RankScratch<Real> scratch;

    __device__ void set(std::size_t rank, Real value, std::uint32_t index) const {
        task.sorted[rank] = value;
        task.order[rank] = index;
    }

    /// The end of the run of equal keys that begins at `rank`.
    __device__ std::size_t end(std::size_t rank) const {
        std::size_t begin = rank;
        std::size_t end = task.n;
        while (end - begin > 1) {
            const std::size_t middle = begin + (end - begin) / 2;
            (keys[middle] == keys[rank] ? begin : end) = middle;
        }
        return end;
    }
};

/// The ranks of one block, with as many on either side as a short run can reach.
template <class Real>
struct RankTile {
    static constexpr int size = ranks_a_block + 2 * short_run;
    std::uint32_t keys[size];
    std::uint32_t indices[size];
    Real values[size];
    int begin; ///< of those that exist
    int end;

    __device__ void load(const RankRuns<Real>& runs) {
        const std::size_t first = std::size_t(blockIdx.x) * ranks_a_block;
        for (int i = threadIdx.x; i < size; i += rank_threads) {
            const std::size_t rank = first + i - short_run; // wraps around before the first
            if (rank < runs.task.n) {
                keys[i] = runs.keys[rank];
                indices[i] = runs.indices[rank];
                values[i] = rank_value<Real>(runs.task.x, indices[i]);
            }
        }
        const std::size_t rest = runs.task.n - first;
        begin = first == 0 ? short_run : 0;
        end = rest < ranks_a_block + short_run ? static_cast<int>(rest) + short_run : size;
        __syncthreads();
    }

    /// First of the keys equal to the i-th, or one too far for a short run.
    __device__ int run_begin(int i) const {
        int first = i;
        while (first > begin && first > i - short_run && keys[first - 1] == keys[i]) {
            --first;
        }
        return first;
    }

    __device__ int run_end(int i) const {
        int last = i + 1;
        while (last < end && last <= i + short_run && keys[last] == keys[i]) {
            ++last;
        }
        return last;
    }

    /// Place of the i-th among those from `first` to `last` by value, then by index.
    __device__ int place(int i, int first, int last) const {
        int at = first;
        for (int j = first; j < last; ++j) {
            at += values[j] < values[i] || (values[j] == values[i] && j < i) ? 1 : 0;
        }
        return at;
    }
};

/// Short runs in order; the others as they are, and noted.
template <class Real>
__global__ void __launch_bounds__(rank_threads)
    short_runs_kernel(const __grid_constant__ RankRuns<Real> runs) {
    __shared__ RankTile<Real> tile;
    tile.load(runs);
    const std::size_t first_rank = std::size_t(blockIdx.x) * ranks_a_block - short_run;
    for (int k = 0; k < ranks_a_block; k += rank_threads) {
        const int i = short_run + k + static_cast<int>(threadIdx.x);
        if (i >= tile.end) {
            return;
        }
        const int first = tile.run_begin(i);
        const int last = tile.run_end(i);
        int at = i;
        if (last - first <= short_run) {
            at = tile.place(i, first, last);
        } else if (first == i) {
            runs.scratch.runs[atomicAdd(runs.scratch.n_runs, 1U)] =
                static_cast<std::uint32_t>(first_rank + i);
        } else if (tile.values[i] < tile.values[i - 1]) {
            *runs.scratch.unsorted = 1;
        }
        runs.set(first_rank + at, tile.values[i], tile.indices[i]);
    }
}

/// Sorts n values, ties by index, by one block: compares at ever smaller distances what lies in
/// mirrored, then in parallel halves (a bitonic sort).
template <class Real>
__device__ void sort_run(Real* values, std::uint32_t* indices, std::uint32_t n) {
    for (std::uint32_t half = 1; half < n; half *= 2) {
        for (std::uint32_t distance = half; distance > 0; distance /= 2) {
            for (std::uint32_t k = threadIdx.x; k < n; k += run_threads) {
                const std::uint32_t rest = k & (distance - 1);
                const std::uint32_t a = 2 * (k - rest) + rest;
                const std::uint32_t b = distance == half ? a + 2 * (half - rest) - 1 : a + distance;
                if (b >= n) {
                    continue;
                }
                const Real x = values[a];
                const Real y = values[b];
                const std::uint32_t i = indices[a];
                const std::uint32_t j = indices[b];
                if (y < x || (y == x && j < i)) {
                    values[a] = y;
                    values[b] = x;
                    indices[a] = j;
                    indices[b] = i;
                }
            }
            __syncthreads();
        }
    }
}

/// Whether a block's run is in order.
template <class Real>
__device__ bool is_sorted(const Real* values, std::uint32_t n) {
    int wrong = 0;
    for (std::uint32_t i = threadIdx.x + 1; i < n; i += run_threads) {
        wrong |= values[i] < values[i - 1] ? 1 : 0;
    }
    return __syncthreads_or(wrong) == 0;
}

/// Runs that are not short, a block a run.
template <class Real>
__global__ void __launch_bounds__(run_threads)
    long_runs_kernel(const __grid_constant__ RankRuns<Real> runs) {
    __shared__ Real values[run_in_block];
    __shared__ std::uint32_t indices[run_in_block];
    const std::uint32_t n_runs = *runs.scratch.unsorted != 0 ? *runs.scratch.n_runs : 0;
    for (std::uint32_t run = blockIdx.x; run < n_runs; run += gridDim.x) {
        const std::uint32_t begin = runs.scratch.runs[run];
        const auto n = static_cast<std::uint32_t>(runs.end(begin) - begin);
        Real* sorted = runs.task.sorted + begin;
        std::uint32_t* order = runs.task.order + begin;
        if (is_sorted(sorted, n)) {
            continue;
        }
        const bool fits = n <= run_in_block;
        for (std::uint32_t i = threadIdx.x; fits && i < n; i += run_threads) {
            values[i] = sorted[i];
            indices[i] = order[i];
        }
        __syncthreads();
        Real* in_values = fits ? values : sorted;
        std::uint32_t* in_indices = fits ? indices : order;
        sort_run(in_values, in_indices, n);
        for (std::uint32_t i = threadIdx.x; i < n; i += run_threads) {
            runs.set(begin + i, in_values[i], in_indices[i]);
        }
        __syncthreads();
    }
}

/// Radix sort of the keys. Three passes of eight bits sort 16 million points with few ties.
template <class Real>
RankRuns<Real> sort_keys(const RankTask<Real>& task, const RankScratch<Real>& scratch, int bits) {
    cub::DoubleBuffer<std::uint32_t> keys(scratch.keys[0], scratch.keys[1]);
    cub::DoubleBuffer<std::uint32_t> indices(scratch.indices[0], scratch.indices[1]);
    scratch.room.run("radix sort of coordinates", [&](void* data, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(
            data, bytes, keys, indices, static_cast<std::uint32_t>(task.n), 0, bits, cuda_stream()
        );
    });
    return {keys.Current(), indices.Current(), task, scratch};
}

template <class Real>
void rank_cuda(void* buffers[], void* args) {
    const auto task = RankTask<Real>::unpack(buffers, args);
    if (task.n == 0) {
        return;
    }
    const RankScratch<Real> scratch(task);
    const int bits = task.n <= 1U << 16U ? 16 : task.n <= 1U << 24U ? 24 : 32;
    const cudaStream_t stream = cuda_stream();
    sort_samples_kernel<Real>
        <<<n_samples * warp_lanes / sample_threads, sample_threads, 0, stream>>>(
            task.x, task.n, scratch
        );
    check_cuda(cudaGetLastError(), "launch of sort_samples_kernel");
    rank_keys_kernel<Real><<<n_blocks(task.n, keys_a_block), rank_threads, 0, stream>>>(
        task.x, task.n, scratch, bits
    );
    check_cuda(cudaGetLastError(), "launch of rank_keys_kernel");
    const RankRuns<Real> runs = sort_keys(task, scratch, bits);
    short_runs_kernel<Real><<<n_blocks(task.n, ranks_a_block), rank_threads, 0, stream>>>(runs);
    check_cuda(cudaGetLastError(), "launch of short_runs_kernel");
    long_runs_kernel<Real><<<run_blocks, run_threads, 0, stream>>>(runs);
    check_cuda(cudaGetLastError(), "launch of long_runs_kernel");
}

} // namespace starfmm
