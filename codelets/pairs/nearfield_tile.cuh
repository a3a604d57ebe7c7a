// SPDX-License-Identifier: BSD-3-Clause
// Near field on the GPU: a group of lanes, its tile of targets and a chunk of sources.
//
// A group of `width` lanes holds width * n_tiles targets of one box, n_tiles a lane, and meets
// `width` sources at a time, which lie in shared memory. In one direction, all lanes meet the same
// source. In both directions [SL13 Sec III.C], each lane meets another source and hands what the
// source gets on to the next lane, so that after `width` steps every source has met every target,
// without a reduction and without an atomic operation.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/pairs/nearfield_task.hpp"

#include <array>
#include <cstdint>

namespace starfmm {

/// The number of lanes that share a box, and of its targets that a lane holds at a time.
template <int width_, int n_tiles_>
struct NearfieldShape {
    static constexpr int width = width_;
    static constexpr int n_tiles = n_tiles_;
    static constexpr std::uint32_t n_targets = width * n_tiles;
};

/// A point with its strength, as it meets others.
template <class L>
struct Body {
    std::array<typename L::Real, L::dimension> x;
    typename L::Real q;
};

template <class L>
__device__ Body<L> load_body(const NearfieldGroup<L>& group, std::uint32_t i) {
    return {group.position(i), group.strengths[i]};
}

/// The sources of a group of lanes, twice in a row, so that lanes that start anywhere need not wrap
/// around. Two 16-byte words hold a body in double precision, one in single.
template <class L, int width>
struct SourceChunk {
    using Real = typename L::Real;
    static constexpr int per_word = 16 / sizeof(Real);
    static constexpr int n_words = (L::dimension + per_word) / per_word;

    struct alignas(16) Word {
        Real part[per_word];
    };

    Word words[n_words][2 * width];

    __device__ void store(int i, const Body<L>& body) {
        Real parts[n_words * per_word] = {};
        for (int d = 0; d < L::dimension; ++d) {
            parts[d] = body.x[d];
        }
        parts[L::dimension] = body.q;
        for (int w = 0; w < n_words; ++w) {
            Word word;
            for (int p = 0; p < per_word; ++p) {
                word.part[p] = parts[w * per_word + p];
            }
            words[w][i] = word;
            words[w][i + width] = word;
        }
    }

    /// Returns a body.
    /// \param i in [0, 2 width)
    __device__ Body<L> load(int i) const {
        Real parts[n_words * per_word];
        for (int w = 0; w < n_words; ++w) {
            const Word word = words[w][i];
            for (int p = 0; p < per_word; ++p) {
                parts[w * per_word + p] = word.part[p];
            }
        }
        Body<L> body;
        for (int d = 0; d < L::dimension; ++d) {
            body.x[d] = parts[d];
        }
        body.q = parts[L::dimension];
        return body;
    }
};

template <class L>
__device__ void add_scaled(PairValues<L>& sum, typename L::Real q, const PairValues<L>& pair) {
    for (int c = 0; c < L::n_values; ++c) {
        sum[c] += q * pair[c];
    }
}

/// Returns G of the difference source - target.
template <class L>
__device__ PairValues<L> pair_of(const Body<L>& target, const Body<L>& source) {
    std::array<typename L::Real, L::dimension> difference;
    for (int d = 0; d < L::dimension; ++d) {
        difference[d] = source.x[d] - target.x[d];
    }
    return L::pair(difference);
}

/// Returns the values of the lane `distance` further on in the group.
template <class L, int width>
__device__ PairValues<L> from_further(PairValues<L> values, int distance) {
    const int lane = threadIdx.x % width + distance;
    for (int c = 0; c < L::n_values; ++c) {
        values[c] = __shfl_sync(0xffffffffU, values[c], lane, width);
    }
    return values;
}

/// The targets of a lane: their bodies and their sums.
template <class L, int n_tiles>
struct LaneBodies {
    Body<L> bodies[n_tiles];
    PairValues<L> sums[n_tiles];
};

/// The pairs in flight that hide the latency of a reciprocal, without overflowing the instruction
/// cache.
inline constexpr int unrolled_pairs = 8;

/// Lets every target meet every source of the chunk, for itself only.
template <class L, int width, int n_tiles>
__device__ void
meet_one_way(LaneBodies<L, n_tiles>& targets, const SourceChunk<L, width>& sources) {
#pragma unroll(unrolled_pairs / n_tiles)
    for (int s = 0; s < width; ++s) {
        const Body<L> source = sources.load(s);
#pragma unroll
        for (int t = 0; t < n_tiles; ++t) {
            add_scaled<L>(targets.sums[t], source.q, pair_of<L>(targets.bodies[t], source));
        }
    }
}

/// Lets the first `n_met` targets of every lane meet every source of the chunk, for both.
/// \returns what source `lane` gets, but for the sign of the reaction
template <class L, int width, int n_met, int n_tiles>
__device__ PairValues<L>
meet_both_ways(LaneBodies<L, n_tiles>& targets, const SourceChunk<L, width>& sources) {
    const int lane = threadIdx.x % width;
    PairValues<L> reaction{};
#pragma unroll(unrolled_pairs / n_tiles)
    for (int s = 0; s < width; ++s) {
        const Body<L> source = sources.load(lane + s);
#pragma unroll
        for (int t = 0; t < n_met; ++t) {
            const PairValues<L> pair = pair_of<L>(targets.bodies[t], source);
            add_scaled<L>(targets.sums[t], source.q, pair);
            add_scaled<L>(reaction, targets.bodies[t].q, pair);
        }
        reaction = from_further<L, width>(reaction, 1);
    }
    return reaction;
}

/// Lets every pair of the lanes' targets `tile`, whose bodies the chunk holds, meet once: lanes
/// meet those up to half way around; the lane opposite meets its opposite too, so that those meet
/// one way each.
/// \returns what target `lane` gets as a source, but for the sign of the reaction
template <class L, int width, int tile, int n_tiles>
__device__ PairValues<L>
meet_within(LaneBodies<L, n_tiles>& targets, const SourceChunk<L, width>& sources) {
    const int lane = threadIdx.x % width;
    const Body<L> target = targets.bodies[tile];
    PairValues<L> reaction{};
#pragma unroll 2
    for (int s = 1; s < width / 2; ++s) {
        const Body<L> source = sources.load(lane + s);
        const PairValues<L> pair = pair_of<L>(target, source);
        add_scaled<L>(targets.sums[tile], source.q, pair);
        add_scaled<L>(reaction, target.q, pair);
        reaction = from_further<L, width>(reaction, 1);
    }
    const Body<L> opposite = sources.load(lane + width / 2);
    add_scaled<L>(targets.sums[tile], opposite.q, pair_of<L>(target, opposite));
    return from_further<L, width>(reaction, width / 2);
}

/// Returns what a source gets: what it gave, with the sign of the law's parity.
template <class L>
__device__ PairValues<L> reacted(PairValues<L> values) {
    constexpr std::array<int, L::n_values> parity = L::parity; // device code sees no static members
    for (int c = 0; c < L::n_values; ++c) {
        values[c] = parity[c] < 0 ? -values[c] : values[c];
    }
    return values;
}

/// Lets every pair of a tile's own targets meet once: chunk by chunk with those before it and with
/// itself.
template <class L, class Shape, int tile = 0>
__device__ void
meet_each_other(LaneBodies<L, Shape::n_tiles>& targets, SourceChunk<L, Shape::width>& chunk) {
    if constexpr (tile < Shape::n_tiles) {
        __syncwarp();
        chunk.store(threadIdx.x % Shape::width, targets.bodies[tile]);
        __syncwarp();
        PairValues<L> reaction = meet_within<L, Shape::width, tile>(targets, chunk);
        if constexpr (tile > 0) {
            add_scaled<L>(reaction, 1, meet_both_ways<L, Shape::width, tile>(targets, chunk));
        }
        add_scaled<L>(targets.sums[tile], 1, reacted<L>(reaction));
        meet_each_other<L, Shape, tile + 1>(targets, chunk);
    }
}

} // namespace starfmm
