// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of rank: the points' indices, bin by bin.
//
// Blocks count the bins of their points, then know where each bin and their own part of it begin.
// Blocks reorder as many points as fit into shared memory before they write: scattered writes of 4
// bytes take twice as long.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/exchange/block_copy.cuh"
#include "codelets/tree/sort/rank_keys.cuh"

#include <cub/block/block_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int bin_threads = 1024;
inline constexpr int points_at_once = 8; ///< reads of a thread that are under way

inline constexpr std::size_t mean_bin = 1440; ///< most points of a bin in the mean
/// Most parts of an interval: shared memory counts all bins.
inline constexpr std::size_t most_parts = 32;
inline constexpr std::size_t most_binned = most_parts * n_intervals * mean_bin;

using BinScan = cub::BlockScan<std::uint32_t, bin_threads>;

/// A distribution of n values: blocks that take a part each, bins, and tiles of bins.
struct RankSplit {
    std::size_t n;
    BinLayout bins;
    std::uint32_t blocks;
    std::uint32_t tile; ///< tile t begins with the first bin that begins at t * tile or behind

    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t n_tiles() const {
        return static_cast<std::uint32_t>((n + tile - 1) / tile);
    }

    [[nodiscard]] __device__ std::size_t begin(std::uint32_t block) const {
        return n * block / blocks;
    }
};

/// Counts the points of bins; the number that other blocks put before this block's becomes
/// `before`.
template <class Scratch>
__global__ void __launch_bounds__(bin_threads) count_bins_kernel(
    const typename Scratch::Key* keys,
    const __grid_constant__ RankSplit split,
    const __grid_constant__ Scratch scratch
) {
    extern __shared__ std::uint32_t counts[];
    using Record = RankRecord<typename Scratch::Key>;
    __shared__ RankBins<typename Scratch::Key> bins;
    const std::uint32_t n_bins = split.bins.size();
    for (std::uint32_t i = threadIdx.x; i < n_bins; i += bin_threads) {
        counts[i] = 0;
    }
    bins.load(scratch.samples, split.bins);
    const std::size_t first = split.begin(blockIdx.x);
    copy_by_block<points_at_once>(
        static_cast<std::uint32_t>(split.begin(blockIdx.x + 1) - first),
        [&](std::uint32_t i) { return Record(keys, first + i); },
        [&](std::uint32_t /*i*/, const Record& record) {
            const std::uint32_t bin = bins.bin(record, split.bins);
            scratch.bins[record.index] = static_cast<std::uint16_t>(bin);
            atomicAdd(counts + bin, 1U);
        }
    );
    __syncthreads();
    std::uint32_t* before = scratch.before + std::size_t(blockIdx.x) * n_bins;
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < n_bins; i += bin_threads) {
        before[i] = atomicAdd(scratch.totals + i, counts[i]);
    }
}

/// Puts where each bin begins into `begins`, and in the first block where each tile does.
template <class Key>
__device__ void place_bins(
    const RankSplit& split,
    const RankScratch<Key>& scratch,
    BinScan::TempStorage& storage,
    std::uint32_t* begins
) {
    const std::uint32_t n_bins = split.bins.size();
    std::uint32_t above = 0;
    for (std::uint32_t first = 0; first < n_bins; first += bin_threads) {
        const std::uint32_t bin = first + threadIdx.x;
        const std::uint32_t total = bin < n_bins ? scratch.totals[bin] : 0;
        std::uint32_t begin = 0;
        std::uint32_t sum = 0;
        BinScan(storage).ExclusiveSum(total, begin, sum);
        __syncthreads();
        begin += above;
        above += sum;
        if (bin < n_bins) {
            begins[bin] = begin;
        }
        if (blockIdx.x == 0 && total > 0) {
            // Tiles that begin behind this bin's first record begin with the next bin.
            for (std::uint32_t t = begin / split.tile + 1; t * split.tile < begin + total; ++t) {
                scratch.tile_begins[t] = begin + total;
            }
            if (begin % split.tile == 0) {
                scratch.tile_begins[begin / split.tile] = begin;
            }
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        scratch.tile_begins[split.n_tiles()] = static_cast<std::uint32_t>(split.n);
    }
}

/// The points that a block reorders at a time, so that it writes neighbours in a bin at once.
struct FillTile {
    static constexpr int per_thread = 24;
    static constexpr std::uint32_t size = bin_threads * per_thread;

    std::uint32_t indices[size];
    std::uint16_t bins[size];
    BinScan::TempStorage scan;
    std::uint32_t n_bins;
    std::uint32_t* begins; ///< [n_bins + 1], begins of bins in the tile
    std::uint32_t* places; ///< [n_bins], places of the next indices of bins among all

    /// Fills the `n` points from `first` on.
    /// \param bins_of_points [n]
    __device__ void fill(
        std::uint32_t first,
        std::uint32_t n,
        const std::uint16_t* bins_of_points,
        std::uint32_t* out
    ) {
        reorder(first, n, bins_of_points);
        for (std::uint32_t i = threadIdx.x; i < n; i += bin_threads) {
            out[places[bins[i]] + (i - begins[bins[i]])] = indices[i];
        }
        __syncthreads();
        for (std::uint32_t i = threadIdx.x; i < n_bins; i += bin_threads) {
            places[i] += begins[i + 1] - begins[i];
        }
        __syncthreads();
    }

private:
    __device__ void
    reorder(std::uint32_t first, std::uint32_t n, const std::uint16_t* bins_of_points) {
        std::uint32_t bin[per_thread]; // and, in the upper half, how many came before
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            const std::uint32_t i = k * bin_threads + threadIdx.x;
            bin[k] = i < n ? bins_of_points[i] : 0;
        }
        for (std::uint32_t i = threadIdx.x; i <= n_bins; i += bin_threads) {
            begins[i] = 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            if (k * bin_threads + threadIdx.x < n) {
                bin[k] += atomicAdd(begins + bin[k], 1U) << 16U;
            }
        }
        __syncthreads();
        sum_counts();
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            const std::uint32_t i = k * bin_threads + threadIdx.x;
            if (i < n) {
                const std::uint32_t at = begins[bin[k] & 0xffffU] + (bin[k] >> 16U);
                indices[at] = first + i;
                bins[at] = static_cast<std::uint16_t>(bin[k]);
            }
        }
        __syncthreads();
    }

    /// Turns the counts of bins into their begins.
    __device__ void sum_counts() {
        const std::uint32_t per = n_bins / bin_threads + 1; // and the end of the last
        const std::uint32_t first = min(threadIdx.x * per, n_bins + 1);
        const std::uint32_t last = min(first + per, n_bins + 1);
        std::uint32_t sum = 0;
        for (std::uint32_t i = first; i < last; ++i) {
            sum += begins[i];
        }
        std::uint32_t begin = 0;
        BinScan(scan).ExclusiveSum(sum, begin);
        for (std::uint32_t i = first; i < last; ++i) {
            const std::uint32_t count = begins[i];
            begins[i] = begin;
            begin += count;
        }
        __syncthreads();
    }
};

/// Puts indices bin by bin, in any order within each.
template <class Scratch>
__global__ void __launch_bounds__(bin_threads) fill_bins_kernel(
    const __grid_constant__ RankSplit split, const __grid_constant__ Scratch scratch
) {
    extern __shared__ std::byte shared[];
    auto& tile = *reinterpret_cast<FillTile*>(shared);
    const std::uint32_t n_bins = split.bins.size();
    if (threadIdx.x == 0) {
        tile.n_bins = n_bins;
        tile.places = reinterpret_cast<std::uint32_t*>(shared + sizeof(tile));
        tile.begins = tile.places + n_bins;
    }
    __syncthreads();
    place_bins(split, scratch, tile.scan, tile.places);
    const std::uint32_t* before = scratch.before + std::size_t(blockIdx.x) * n_bins;
    for (std::uint32_t i = threadIdx.x; i < n_bins; i += bin_threads) {
        tile.places[i] += before[i];
    }
    __syncthreads();
    const std::size_t end = split.begin(blockIdx.x + 1);
    for (std::size_t i = split.begin(blockIdx.x); i < end; i += tile.size) {
        const auto n = static_cast<std::uint32_t>(min(end - i, std::size_t(tile.size)));
        tile.fill(static_cast<std::uint32_t>(i), n, scratch.bins + i, scratch.indices);
    }
}

inline RankSplit rank_split(std::size_t n) {
    constexpr std::size_t least_of_block = 4096;
    constexpr std::size_t least_tile = 256; // many blocks where points are few
    const std::size_t multiprocessors = n_multiprocessors();
    return {
        n,
        {n_blocks(n, n_intervals * mean_bin)},
        static_cast<std::uint32_t>(std::min(multiprocessors, n / least_of_block + 1)),
        static_cast<std::uint32_t>(std::clamp(n / n_intervals, least_tile, mean_bin))};
}

/// Returns the bytes of shared memory of fill_bins_kernel.
inline std::size_t fill_shared_bytes(const RankSplit& split) {
    return sizeof(FillTile) + (2 * split.bins.size() + 1) * sizeof(std::uint32_t);
}

template <class Key>
RankScratch<Key> rank_scratch(const RankArrays<Key>& task, const RankSplit& split) {
    const std::uint32_t n_bins = split.bins.size();
    RankScratch<Key> scratch;
    scratch.samples = reinterpret_cast<RankRecord<Key>*>(task.scratch);
    scratch.totals = reinterpret_cast<std::uint32_t*>(scratch.samples + n_intervals + 1);
    scratch.before = scratch.totals + n_bins;
    scratch.tile_begins = scratch.before + std::size_t(split.blocks) * n_bins;
    scratch.long_tiles = scratch.tile_begins + split.n_tiles() + 1;
    scratch.n_long = scratch.long_tiles + split.n_tiles();
    scratch.indices = scratch.n_long + 1;
    scratch.bins = reinterpret_cast<std::uint16_t*>(scratch.indices + task.n);
    return scratch;
}

template <class Key>
void fill_bins(
    const RankArrays<Key>& task, const RankSplit& split, const RankScratch<Key>& scratch
) {
    const cudaStream_t stream = cuda_stream();
    const std::size_t bytes = split.bins.size() * sizeof(std::uint32_t);
    sort_samples_kernel<<<sample_blocks, sample_threads, 0, stream>>>(
        task.keys, task.n, scratch, split.bins
    );
    check_cuda(cudaGetLastError(), "launch of sort_samples_kernel");
    allow_shared_bytes(count_bins_kernel<RankScratch<Key>>, bytes);
    count_bins_kernel<<<split.blocks, bin_threads, bytes, stream>>>(task.keys, split, scratch);
    check_cuda(cudaGetLastError(), "launch of count_bins_kernel");
    const std::size_t fill_bytes = fill_shared_bytes(split);
    allow_shared_bytes(fill_bins_kernel<RankScratch<Key>>, fill_bytes);
    fill_bins_kernel<<<split.blocks, bin_threads, fill_bytes, stream>>>(split, scratch);
    check_cuda(cudaGetLastError(), "launch of fill_bins_kernel");
}

} // namespace starfmm
