// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of rank: its keys, and bins of about equally many values.
//
// A bin is a part of the interval between two samples of the keys: coordinates, or places on a
// curve. Keys tie with their index, so that bins resolve equal ones too.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/sort/sort_task.hpp"
#include "core/tree/median_search.hpp"
#include "core/tree/orthtree.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace starfmm {

/// The bits in the order of keys. Bits, unlike values, order everything, also what is not a number.
using RankBits = unsigned long long;

__device__ inline RankBits ordered_bits(double value) {
    return to_key(value);
}

__device__ inline RankBits ordered_bits(DeepCode code) {
    return code;
}

/// Returns the key of bits.
template <class Key>
__device__ Key key_of(RankBits bits) {
    if constexpr (std::is_same_v<Key, double>) {
        return from_key(bits);
    } else {
        return bits;
    }
}

/// A key and its user index, in the order of ranks.
/// \tparam Key double, or DeepCode
template <class Key>
struct alignas(16) RankRecord {
    RankBits bits;
    std::uint32_t index;

    RankRecord() = default;

    __device__ RankRecord(RankBits b, std::uint32_t i) : bits(b), index(i) {}

    /// Makes the record of point `i` of `keys`.
    __device__ RankRecord(const Key* keys, std::size_t i)
        : bits(ordered_bits(keys[i])), index(static_cast<std::uint32_t>(i)) {}

    /// Returns a value for interpolation, which is in the order of keys, if not strictly.
    __device__ double value() const { return static_cast<double>(key_of<Key>(bits)); }

    __device__ bool operator<(const RankRecord& other) const {
        return bits < other.bits || (bits == other.bits && index < other.index);
    }
};

/// The arrays of a task that ranks.
template <class Key_>
struct RankArrays {
    using Key = Key_;
    Key* sorted;          ///< W   [n], keys by rank
    std::uint32_t* order; ///< W   [n], user index by rank
    std::byte* scratch;   ///< scratch [rank_scratch_bytes(n)]
    const Key* keys;      ///< R   [n], user order
    std::size_t n;
};

/// Returns the part of [0, n) that a position lies in, monotone where differences of values under-
/// or overflow, too.
__device__ inline std::uint32_t slot_of(double position, std::uint32_t n) {
    return position < static_cast<double>(n) ? static_cast<std::uint32_t>(position) : n - 1;
}

inline constexpr int sample_bits = 11;
inline constexpr unsigned n_samples = 1U << sample_bits;
inline constexpr int sample_threads = 1024;
inline constexpr unsigned sample_blocks = n_samples * warp_lanes / sample_threads;

/// Intervals with samples at their ends, seven in each.
inline constexpr unsigned n_intervals = 256;

/// The bins of `parts` each: the intervals, and as much below and above.
struct BinLayout {
    std::uint32_t parts;

    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t size() const {
        return (n_intervals + 2) * parts;
    }
};

/// The arrays of one task in its scratch.
template <class Key_>
struct RankScratch {
    using Key = Key_;
    RankRecord<Key>* samples;   ///< [n_intervals + 1], ascending
    std::uint32_t* totals;      ///< [bins], points of each
    std::uint32_t* before;      ///< [blocks][bins], points of other blocks
    std::uint32_t* tile_begins; ///< [tiles + 1]
    std::uint32_t* long_tiles;
    std::uint32_t* n_long;
    std::uint32_t* indices; ///< [n], bin by bin
    std::uint16_t* bins;    ///< [n], by user index
};

/// Draws sample `i` at random within its part of the points, lest their order resonate.
template <class Key>
__device__ RankRecord<Key> draw_sample(const Key* keys, std::size_t n, unsigned i) {
    const std::uint64_t jitter = (i + 1) * 2654435761U; // 2^32 over the golden ratio
    return {keys, (n * i + (n * jitter >> 32U)) >> sample_bits};
}

/// Sorts samples by counting, a warp a sample, and keeps those at the ends of intervals.
template <class Scratch>
__global__ void __launch_bounds__(sample_threads) sort_samples_kernel(
    const typename Scratch::Key* keys,
    std::size_t n,
    const __grid_constant__ Scratch scratch,
    const __grid_constant__ BinLayout bins
) {
    using Record = RankRecord<typename Scratch::Key>;
    __shared__ RankBits bits[n_samples];
    __shared__ std::uint32_t indices[n_samples];
    for (unsigned i = threadIdx.x; i < n_samples; i += sample_threads) {
        const auto sample = draw_sample(keys, n, i);
        bits[i] = sample.bits;
        indices[i] = sample.index;
    }
    if (thread_index() < bins.size()) {
        scratch.totals[thread_index()] = 0;
    }
    __syncthreads();
    const unsigned mine = thread_index() / warp_lanes;
    const Record sample(bits[mine], indices[mine]);
    unsigned before = 0;
    for (unsigned i = threadIdx.x % warp_lanes; i < n_samples; i += warp_lanes) {
        before += Record(bits[i], indices[i]) < sample ? 1 : 0;
    }
    before = sum_lanes<warp_lanes>(before);
    constexpr unsigned step = n_samples / n_intervals;
    if (threadIdx.x % warp_lanes == 0 && (before % step == 0 || before == n_samples - 1)) {
        scratch.samples[(before + step - 1) / step] = sample;
    }
    if (thread_index() == 0) {
        *scratch.n_long = 0;
    }
}

/// A finder of the bin of a record, which lives in shared memory.
template <class Key>
class RankBins {
public:
    using Record = RankRecord<Key>;

    /// Loads the samples; is to be called by all threads of a block.
    __device__ void load(const Record* samples, const BinLayout& layout) {
        for (unsigned i = threadIdx.x; i <= n_intervals; i += blockDim.x) {
            const Record low = samples[i];
            bits_[i] = low.bits;
            indices_[i] = low.index;
            low_[i] = low.value();
            scale_[i] = i < n_intervals ? scale(low, samples[i + 1], layout.parts) : 0.0;
        }
        __syncthreads();
        const double span = low_[n_intervals] - low_[0];
        if (threadIdx.x == 0) {
            cells_a_unit_ = static_cast<double>(n_cells) / span;
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i <= n_cells; i += blockDim.x) {
            first_[i] = static_cast<std::uint16_t>(n_before_cell(i));
        }
        __syncthreads();
    }

    __device__ std::uint32_t bin(const Record& record, const BinLayout& layout) const {
        const double value = record.value();
        const unsigned n = n_not_above(record, value);
        const std::uint32_t parts = layout.parts;
        if (n == 0) {
            return parts - 1 - slot_of((low_[0] - value) * scale_[0], parts);
        }
        const unsigned interval = n > n_intervals ? n_intervals - 1 : n - 1;
        const double scale = scale_[interval];
        double position = (value - low_[interval]) * scale;
        if (scale < 0.0 && record.bits == bits_[interval]) {
            position = static_cast<double>(record.index - indices_[interval]) * -scale;
        } else if (scale < 0.0) {
            position = static_cast<double>(2 * parts); // above all samples
        }
        return parts + interval * parts + slot_of(position, n > n_intervals ? 2 * parts : parts);
    }

private:
    static constexpr unsigned n_cells = 1024; ///< cells of equal width, where searches begin

    /// Returns the parts of an interval a unit; negative: a unit of the index, where all values are
    /// equal.
    __device__ static double scale(const Record& low, const Record& high, std::uint32_t parts) {
        if (low.bits == high.bits) {
            return -static_cast<double>(parts) / static_cast<double>(high.index - low.index);
        }
        return static_cast<double>(parts) / (high.value() - low.value());
    }

    __device__ unsigned cell(double value) const {
        const double position = (value - low_[0]) * cells_a_unit_;
        return value < low_[0] ? 0 : slot_of(position, n_cells);
    }

    /// Returns the number of samples whose cells precede `cell`, and which therefore precede its
    /// values.
    __device__ unsigned n_before_cell(unsigned i) const {
        unsigned begin = 0;
        unsigned end = n_intervals + 1;
        while (begin < end) {
            const unsigned middle = (begin + end) / 2;
            (cell(low_[middle]) < i ? begin : end) = cell(low_[middle]) < i ? middle + 1 : middle;
        }
        return begin;
    }

    __device__ unsigned n_not_above(const Record& record, double value) const {
        const unsigned i = cell(value);
        unsigned begin = first_[i];
        unsigned end = first_[i + 1];
        while (begin < end) {
            const unsigned middle = (begin + end) / 2;
            if (record < Record(bits_[middle], indices_[middle])) {
                end = middle;
            } else {
                begin = middle + 1;
            }
        }
        return begin;
    }

    RankBits bits_[n_intervals + 1];
    std::uint32_t indices_[n_intervals + 1];
    double low_[n_intervals + 1];
    double scale_[n_intervals + 1];
    double cells_a_unit_;
    std::uint16_t first_[n_cells + 1];
};

} // namespace starfmm
