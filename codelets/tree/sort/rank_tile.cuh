// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of rank: records that one block sorts in shared memory.
//
// Records are counted into about as many slots of the range of their values as there are records,
// and put there; the few that share a slot compare each other. Where many do, the block sorts by
// exchanges.
#pragma once

#include "codelets/tree/sort/rank_keys.cuh"

#include <cub/block/block_scan.cuh>

#include <cstdint>

namespace starfmm {

inline constexpr std::uint32_t crowd = 32; ///< records of a slot that are too many to compare

/// Sorts n records by one block: it compares at ever smaller distances what lies in mirrored, then
/// in parallel halves (a bitonic sort).
__device__ inline void sort_by_exchange(RankBits* bits, std::uint32_t* indices, std::uint32_t n) {
    for (std::uint32_t half = 1; half < n; half *= 2) {
        for (std::uint32_t distance = half; distance > 0; distance /= 2) {
            for (std::uint32_t k = threadIdx.x; k < n; k += blockDim.x) {
                const std::uint32_t rest = k & (distance - 1);
                const std::uint32_t a = 2 * (k - rest) + rest;
                const std::uint32_t b = distance == half ? a + 2 * (half - rest) - 1 : a + distance;
                if (b >= n) {
                    continue;
                }
                const RankBits x = bits[a];
                const RankBits y = bits[b];
                const std::uint32_t i = indices[a];
                const std::uint32_t j = indices[b];
                if (y < x || (y == x && j < i)) {
                    bits[a] = y;
                    bits[b] = x;
                    indices[a] = j;
                    indices[b] = i;
                }
            }
            __syncthreads();
        }
    }
}

/// Finds the least and the greatest of a block's values, in all of its threads.
/// \param partial [2][warps of the block], shared
template <class T>
__device__ void block_extent(T& least, T& greatest, T (&partial)[2][warp_lanes]) {
    for (int offset = warp_lanes / 2; offset > 0; offset /= 2) {
        const T low = other_lane(least, offset);
        const T high = other_lane(greatest, offset);
        least = low < least ? low : least;
        greatest = high > greatest ? high : greatest;
    }
    const unsigned lane = threadIdx.x % warp_lanes;
    if (lane == 0) {
        partial[0][threadIdx.x / warp_lanes] = least;
        partial[1][threadIdx.x / warp_lanes] = greatest;
    }
    __syncthreads();
    const bool exists = lane < blockDim.x / warp_lanes;
    least = partial[0][exists ? lane : 0];
    greatest = partial[1][exists ? lane : 0];
    for (int offset = warp_lanes / 2; offset > 0; offset /= 2) {
        const T low = other_lane(least, offset);
        const T high = other_lane(greatest, offset);
        least = low < least ? low : least;
        greatest = high > greatest ? high : greatest;
    }
}

/// The slots of equal width between a tile's least and greatest value, or, if all values are equal,
/// between those of its indices.
struct TileSlots {
    double low;
    double scale;
    std::uint32_t first_index;
    bool by_index;

    template <class Key>
    __device__ std::uint32_t operator()(const RankRecord<Key>& record, std::uint32_t n) const {
        const double offset =
            by_index ? static_cast<double>(record.index - first_index) : record.value() - low;
        return slot_of(offset * scale, n);
    }
};

/// The records of one block of `n_threads`, in shared memory.
template <int n_threads, class Key>
struct RankTile {
    using Record = RankRecord<Key>;
    using Bits = RankBits;
    using Scan = cub::BlockScan<std::uint32_t, n_threads>;
    static constexpr int threads = n_threads;
    static constexpr int per_thread = 8; ///< records of a thread, in registers
    static constexpr int slots_a_thread = 4;
    static constexpr std::uint32_t capacity = threads * per_thread;
    static constexpr std::uint32_t n_slots = threads * slots_a_thread;

    Bits bits[capacity];
    std::uint32_t indices[capacity];
    std::uint32_t slots[n_slots];
    Bits extent_of_bits[2][warp_lanes];
    std::uint32_t extent_of_indices[2][warp_lanes];
    typename Scan::TempStorage scan;

    /// Sorts `n` records that `load(i)` gives, and calls `store(rank, record)` for each.
    template <class Load, class Store>
    __device__ void sort(std::uint32_t n, const Load& load, const Store& store) {
        Record mine[per_thread];
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            const std::uint32_t i = k * threads + threadIdx.x;
            if (i < n) {
                mine[k] = load(i);
            }
        }
        for (std::uint32_t i = threadIdx.x; i < n_slots; i += threads) {
            slots[i] = 0;
        }
        const TileSlots slot = choose_slots(mine, n);
        const bool crowded = place(mine, n, slot);
        if (crowded) {
            sort_by_exchange(bits, indices, n);
        }
        for (std::uint32_t i = threadIdx.x; i < n; i += threads) {
            const Record record(bits[i], indices[i]);
            store(crowded ? i : rank(record, slot(record, n_slots)), record);
        }
    }

private:
    __device__ TileSlots choose_slots(const Record (&mine)[per_thread], std::uint32_t n) {
        Bits low = ~Bits(0);
        Bits high = 0;
        std::uint32_t first = ~0U;
        std::uint32_t last = 0;
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            if (k * threads + threadIdx.x < n) {
                low = mine[k].bits < low ? mine[k].bits : low;
                high = mine[k].bits > high ? mine[k].bits : high;
                first = min(first, mine[k].index);
                last = max(last, mine[k].index);
            }
        }
        block_extent(low, high, extent_of_bits);
        block_extent(first, last, extent_of_indices);
        const double least = Record(low, 0).value();
        const bool by_index = low == high;
        const double span =
            by_index ? static_cast<double>(last - first) + 1.0 : Record(high, 0).value() - least;
        return {least, static_cast<double>(n_slots) / span, first, by_index};
    }

    /// Puts records into slots; each slot's count becomes its end.
    /// \return whether some slot has too many
    __device__ bool
    place(const Record (&mine)[per_thread], std::uint32_t n, const TileSlots& slot) {
        std::uint32_t of[per_thread]; // and, in the upper half, how many came before
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            if (k * threads + threadIdx.x < n) {
                of[k] = slot(mine[k], n_slots);
                of[k] += atomicAdd(slots + of[k], 1U) << 16U;
            }
        }
        __syncthreads();
        std::uint32_t count[slots_a_thread];
        bool crowded = false;
#pragma unroll
        for (int k = 0; k < slots_a_thread; ++k) {
            count[k] = slots[threadIdx.x * slots_a_thread + k];
            crowded = crowded || count[k] > crowd;
        }
        Scan(scan).InclusiveSum(count, count);
#pragma unroll
        for (int k = 0; k < slots_a_thread; ++k) {
            slots[threadIdx.x * slots_a_thread + k] = count[k];
        }
        crowded = __syncthreads_or(crowded ? 1 : 0) != 0;
#pragma unroll
        for (int k = 0; k < per_thread; ++k) {
            if (k * threads + threadIdx.x < n) {
                const std::uint32_t i = begin(of[k] & 0xffffU) + (of[k] >> 16U);
                bits[i] = mine[k].bits;
                indices[i] = mine[k].index;
            }
        }
        __syncthreads();
        return crowded;
    }

    __device__ std::uint32_t begin(std::uint32_t slot) const {
        return slot == 0 ? 0 : slots[slot - 1];
    }

    __device__ std::uint32_t rank(const Record& record, std::uint32_t slot) const {
        std::uint32_t at = begin(slot);
        for (std::uint32_t i = at; i < slots[slot]; ++i) {
            at += Record(bits[i], indices[i]) < record ? 1 : 0;
        }
        return at;
    }
};

} // namespace starfmm
