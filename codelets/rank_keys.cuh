// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of rank: short keys that are ordered as the values are.
//
// A key is the interval between two samples of the values that a value lies in, and its linear
// position there, so that keys resolve every distribution; beyond the samples it is the leading
// bits of the distance.
#pragma once

#include "codelets/cuda_check.cuh"
#include "codelets/device_room.cuh"
#include "codelets/sort_task.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int rank_threads = 256;

inline constexpr int sample_bits = 11;
inline constexpr unsigned n_samples = 1U << sample_bits;
inline constexpr int sample_threads = 1024;

inline constexpr unsigned keys_a_block = 16 * rank_threads; ///< repays the load of the samples

/// Runs of at most this many keys are put into order by their own threads.
inline constexpr int short_run = 32;

/// Arrays of one task in its scratch.
template <class Real>
struct RankScratch {
    Real* samples; ///< [n_samples], ascending
    std::uint32_t* n_runs;
    std::uint32_t* unsorted;   ///< whether any of the runs is
    std::uint32_t* runs;       ///< first ranks of the runs that are not short
    std::uint32_t* keys[2];    ///< [n]
    std::uint32_t* indices[2]; ///< [n]
    DeviceRoom room;

    explicit RankScratch(const RankTask<Real>& task) {
        samples = reinterpret_cast<Real*>(task.scratch);
        n_runs = reinterpret_cast<std::uint32_t*>(samples + n_samples);
        unsorted = n_runs + 1;
        runs = n_runs + 2;
        keys[0] = runs + task.n / short_run + 1;
        keys[1] = keys[0] + task.n;
        indices[0] = keys[1] + task.n;
        indices[1] = indices[0] + task.n;
        std::byte* rest = reinterpret_cast<std::byte*>(indices[1] + task.n);
        room = {rest, rank_scratch_bytes(task.n) - static_cast<std::size_t>(rest - task.scratch)};
    }
};

/// Adding zero turns -0 into +0, so that equal values tie.
template <class Real>
__device__ Real rank_value(const double* x, std::size_t i) {
    return static_cast<Real>(x[i]) + Real(0);
}

/// Sample `i`: at random within its part of the points, lest their order resonate.
template <class Real>
__device__ Real draw_sample(const double* x, std::size_t n, unsigned i) {
    const std::uint64_t jitter = (i + 1) * 2654435761U; // 2^32 over the golden ratio
    return rank_value<Real>(x, (n * i + (n * jitter >> 32U)) >> sample_bits);
}

/// Sorts the samples by counting, a warp a sample.
template <class Real>
__global__ void __launch_bounds__(sample_threads) sort_samples_kernel(
    const double* x, std::size_t n, const __grid_constant__ RankScratch<Real> scratch
) {
    __shared__ Real samples[n_samples];
    for (unsigned i = threadIdx.x; i < n_samples; i += sample_threads) {
        samples[i] = draw_sample<Real>(x, n, i);
    }
    __syncthreads();
    const unsigned mine = thread_index() / warp_lanes;
    const Real value = samples[mine];
    unsigned before = 0;
    for (unsigned i = threadIdx.x % warp_lanes; i < n_samples; i += warp_lanes) {
        before += samples[i] < value || (samples[i] == value && i < mine) ? 1 : 0;
    }
    before = sum_lanes<warp_lanes>(before);
    if (threadIdx.x % warp_lanes == 0) {
        scratch.samples[before] = value;
    }
    if (thread_index() == 0) {
        *scratch.n_runs = 0;
        *scratch.unsorted = 0;
    }
}

/// Place of a sample in shared memory. A binary search reads ever smaller powers of two apart, all
/// of which one bank would have.
__device__ inline unsigned sample_place(unsigned i) {
    return i ^ (i >> 4U & 15U) ^ (i >> 8U);
}

/// Keys of `bits` bits: half of them lie between samples, a quarter on either side.
template <class Real>
struct RankKeys {
    const Real* samples; ///< by sample_place
    int bits;

    __device__ std::uint32_t operator()(Real value) const {
        const std::uint32_t quarter = std::uint32_t(1) << (bits - 2);
        const unsigned i = n_not_above(value);
        if (i == 0) {
            return quarter - 1 - distance(sample(0) - value);
        }
        if (i == n_samples) {
            return 3 * quarter + distance(value - sample(n_samples - 1));
        }
        return quarter + position(value, i - 1);
    }

private:
    __device__ Real sample(unsigned i) const { return samples[sample_place(i)]; }

    __device__ unsigned n_not_above(Real value) const {
        unsigned n = 0;
#pragma unroll
        for (unsigned step = n_samples / 2; step > 0; step /= 2) {
            n += sample(n + step - 1) <= value ? step : 0;
        }
        return n + (sample(n) <= value ? 1 : 0);
    }

    /// Monotone: infinities and what is not a number are larger than the others.
    __device__ std::uint32_t distance(Real beyond) const {
        const Real span = sample(n_samples - 1) - sample(0);
        const auto relative = static_cast<float>(span > Real(0) ? beyond / span : beyond);
        return (__float_as_uint(relative) & 0x7fffffffU) >> (31 - (bits - 2));
    }

    /// Monotone too where a difference under- or overflows: the comparison sorts out the rest.
    __device__ std::uint32_t position(Real value, unsigned interval) const {
        const int slot_bits = bits - 1 - sample_bits;
        const std::uint32_t slots = std::uint32_t(1) << slot_bits;
        const Real low = sample(interval);
        const Real slot = (value - low) * (static_cast<Real>(slots) / (sample(interval + 1) - low));
        return interval * slots +
               (slot < static_cast<Real>(slots) ? static_cast<std::uint32_t>(slot) : slots - 1);
    }
};

template <class Real>
__global__ void __launch_bounds__(rank_threads) rank_keys_kernel(
    const double* x, std::size_t n, const __grid_constant__ RankScratch<Real> scratch, int bits
) {
    __shared__ Real samples[n_samples];
    for (unsigned i = threadIdx.x; i < n_samples; i += rank_threads) {
        samples[sample_place(i)] = scratch.samples[i];
    }
    __syncthreads();
    const RankKeys<Real> key{samples, bits};
    const std::size_t first = std::size_t(blockIdx.x) * keys_a_block + threadIdx.x;
#pragma unroll 4
    for (unsigned k = 0; k < keys_a_block; k += rank_threads) {
        const std::size_t i = first + k;
        if (i < n) {
            scratch.keys[0][i] = key(rank_value<Real>(x, i));
            scratch.indices[0][i] = static_cast<std::uint32_t>(i);
        }
    }
}

} // namespace starfmm
