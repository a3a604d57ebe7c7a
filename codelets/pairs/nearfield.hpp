// SPDX-License-Identifier: BSD-3-Clause
// Near field of a uniform tree by direct summation [SL13]: each point meets the points of its box
// and of the boxes that touch it, 9 boxes in the plane and 27 in space. O(pairs).
//
// The CPU body evaluates every pair twice, once for each of its points: on one core, evaluating it
// once gains 5 % (docs/performance.md, choices).
#pragma once

#include "codelets/pairs/nearfield_task.hpp"

#ifndef __CUDACC__
#include "codelets/simd/simd.hpp"
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace starfmm {

#ifndef __CUDACC__
/// The sources [begin, end) of their group: one box of the stencil, or targets.
struct SourceRange {
    std::uint32_t begin;
    std::uint32_t end;
    int k = 0; ///< index of the box in the stencil
};

/// The sources near one box: one range for each box of the stencil that the source group holds.
template <int D>
struct NearSources {
    std::array<SourceRange, n_stencil<D>> ranges;
    int n = 0;
};

template <class L>
NearSources<L::dimension> near_sources(const NearfieldGroup<L>& sources, ZCode box, int height) {
    constexpr int D = L::dimension;
    NearSources<D> near;
    for (int k = 0; k < n_stencil<D>; ++k) {
        const ZCode neighbour = z_neighbour<D>(box, height, k);
        if (sources.boxes.holds(neighbour)) {
            near.ranges[near.n++] = {sources.begin(neighbour), sources.end(neighbour), k};
        }
    }
    return near;
}

/// The positions of targets, coordinate by coordinate.
template <class L, class B, std::size_t n_batches>
using TilePositions = std::array<std::array<B, L::dimension>, n_batches>;

/// Returns the positions as seen from the origin of a box of the stencil.
template <class L, class B, std::size_t n_batches>
TilePositions<L, B, n_batches>
seen_from_source_box(TilePositions<L, B, n_batches> x, [[maybe_unused]] int k, double side) {
    if constexpr (is_seen_from_box<typename L::Real>) {
        const auto shift = stencil_shift<L>(k, side);
        for (auto& batch : x) {
            for (int d = 0; d < L::dimension; ++d) {
                batch[d] = batch[d] - B(shift[d]);
            }
        }
    }
    return x;
}

/// The sums of targets, batch by batch.
template <class L, class B, std::size_t n_batches>
using TileSums = std::array<PairValues<L, B>, n_batches>;

/// Returns how many of a tile's targets are in its `t`-th batch.
template <class B>
[[gnu::always_inline]] inline std::size_t n_targets_of(const SourceRange& tile, std::size_t t) {
    const std::size_t i = tile.begin + t * B::size;
    return i < tile.end ? std::min<std::size_t>(tile.end - i, B::size) : 0;
}

/// Loads the positions; lanes without a target lie where the first one does.
template <class L, class B, std::size_t n_batches>
[[gnu::always_inline]] inline TilePositions<L, B, n_batches>
load_positions(const NearfieldGroup<L>& targets, const SourceRange& tile) {
    TilePositions<L, B, n_batches> x;
    const auto idle = targets.position(tile.begin);
    for (std::size_t t = 0; t < n_batches; ++t) {
        const std::size_t n = n_targets_of<B>(tile, t);
        for (int d = 0; d < L::dimension; ++d) {
            const auto* coordinate = targets.positions + std::size_t(d) * targets.n;
            x[t][d] = load_lanes<B>(coordinate + tile.begin + t * B::size, n, idle[d]);
        }
    }
    return x;
}

/// Adds the sums to the targets' values.
template <class L, class B, std::size_t n_batches>
[[gnu::always_inline]] inline void add_sums(
    const NearfieldGroup<L>& targets, const SourceRange& tile, const TileSums<L, B, n_batches>& sum
) {
    for (std::size_t t = 0; t < n_batches; ++t) {
        const std::size_t n = n_targets_of<B>(tile, t);
        for (int c = 0; c < L::n_values; ++c) {
            auto* out = targets.value(c, tile.begin) + t * B::size;
            store_lanes(sum[t][c] + load_lanes<B>(out, n, typename L::Real(0)), out, n);
        }
    }
}

/// Adds the near sources to the targets of a tile, at most n_batches batches of them.
/// \param side  side of a box
template <class L, class B, std::size_t n_batches>
void nearfield_tile(
    const NearfieldGroup<L>& targets,
    const SourceRange& tile,
    const NearfieldGroup<L>& sources,
    const NearSources<L::dimension>& near,
    double side
) {
    constexpr int D = L::dimension;
    const auto x = load_positions<L, B, n_batches>(targets, tile);
    TileSums<L, B, n_batches> sum;
    for (auto& values : sum) {
        values.fill(B(0));
    }
    for (int k = 0; k < near.n; ++k) {
        const auto seen = seen_from_source_box<L, B, n_batches>(x, near.ranges[k].k, side);
        for (std::uint32_t j = near.ranges[k].begin; j < near.ranges[k].end; ++j) {
            const auto source = sources.position(j);
            const B q(sources.strengths[j]);
            for (std::size_t t = 0; t < n_batches; ++t) {
                std::array<B, D> difference;
                for (int d = 0; d < D; ++d) {
                    difference[d] = B(source[d]) - seen[t][d];
                }
                const PairValues<L, B> pair = L::pair(difference);
                for (int c = 0; c < L::n_values; ++c) {
                    sum[t][c] += q * pair[c];
                }
            }
        }
    }
    add_sums<L, B, n_batches>(targets, tile, sum);
}

/// Adds to one group's targets what the sources of one group do.
template <class L, class Isa>
void nearfield_add(
    const NearfieldGroup<L>& targets, const NearfieldGroup<L>& sources, const TaskArgs& args
) {
    const int height = args.tree.last;
    const double side = args.nearfield.box_side;
    using B = Batch<typename L::Real, Isa>;
    // enough lanes in flight to hide the latency of a division
    constexpr std::size_t n_batches = B::size >= 8 ? 2 : 4;
    constexpr auto tile = static_cast<std::uint32_t>(n_batches * B::size);
    for (std::uint32_t i = 0; i < targets.boxes.n_boxes; ++i) {
        const ZCode box = targets.boxes.first + i;
        const std::uint32_t end = targets.end(box);
        std::uint32_t begin = targets.begin(box);
        const auto near =
            begin < end ? near_sources(sources, box, height) : NearSources<L::dimension>{};
        for (; begin + tile - B::size < end && near.n > 0; begin += tile) {
            nearfield_tile<L, B, n_batches>(
                targets, {begin, std::min(end, begin + tile)}, sources, near, side
            );
        }
        for (; begin < end && near.n > 0; begin += B::size) {
            const auto last =
                static_cast<std::uint32_t>(std::min<std::size_t>(end, begin + B::size));
            nearfield_tile<L, B, 1>(targets, {begin, last}, sources, near, side);
        }
    }
}

template <class L, class Isa>
void nearfield_cpu(const NearfieldTask<L>& task) {
    if (task.is_within()) {
        std::fill_n(task.own.values, std::size_t(L::n_values) * task.own.n, 0);
        nearfield_add<L, Isa>(task.own, task.own, task.args);
    } else {
        nearfield_add<L, Isa>(task.own, task.other, task.args);
        nearfield_add<L, Isa>(task.other, task.own, task.args);
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/pairs/nearfield.cuh"
#endif
