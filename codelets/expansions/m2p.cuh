// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of M2P.
#pragma once

#include "codelets/expansions/m2p.hpp"
#include "codelets/pairs/target_chunk.cuh"

#include <algorithm>
#include <cstddef>

namespace starfmm {

/// The threads of a block: four warps have one chunk of targets at a time, since most chunks have
/// no entries and a few have thousands.
inline constexpr int m2p_threads = 128;

/// Returns the lanes that so many targets take; the rest of the block takes other entries for the
/// same targets, since leaves that get anything by M2P have few of them.
__device__ inline unsigned lanes_of_targets(std::size_t n) {
    unsigned lanes = 1;
    while (lanes < warp_lanes && lanes < n) {
        lanes *= 2;
    }
    return lanes;
}

/// The sums that each warp's lanes add to targets.
template <class K>
struct M2PParts {
    static constexpr int n_values = n_value_components<K>;
    typename K::Real of[m2p_threads / warp_lanes][n_values][warp_lanes];
};

/// Adds a chunk's entries to its targets, by all threads of the block.
/// \param n  number of coefficients of an expansion
template <class K>
__device__ void
add_boxes(const M2PTask<K>& task, const TargetChunk& chunk, int n, M2PParts<K>& parts) {
    using Real = typename K::Real;
    const auto kernel = kernel_of<K>(task.args.kernel);
    const ListView list = task.m2p_list();
    const std::uint32_t first = list.offsets[chunk.leaf];
    const std::uint32_t last = list.offsets[chunk.leaf + 1];
    const unsigned width = lanes_of_targets(chunk.end - chunk.begin);
    const unsigned lane = threadIdx.x % warp_lanes;
    const unsigned warp = threadIdx.x / warp_lanes;
    for (std::size_t begin = chunk.begin; begin < chunk.end; begin += width) {
        const std::size_t i = begin + lane % width;
        const auto z = task.targets[i < chunk.end ? i : begin];
        typename K::template Value<Real> sum{};
        for (std::uint32_t e = first + threadIdx.x / width; e < last; e += m2p_threads / width) {
            const LeafReference source = leaf_reference<dimension_of<K>>(task.args, list.boxes[e]);
            const auto frame = expansion_frame<Real>(task.sources[source.slot], source.box);
            sum += kernel.m2p(
                task.args.order,
                centred<Real>(frame),
                task.multipoles[source.slot] + source.box * n,
                seen_from<Real>(frame.centre, z)
            );
        }
        for (unsigned offset = width; offset < warp_lanes; offset *= 2) {
            sum += other_lane(sum, static_cast<int>(offset));
        }
        visit_components(sum, [&](int c, const Real& part) { parts.of[warp][c][lane] = part; });
        __syncthreads();
        if (warp == 0 && lane < width && i < chunk.end) {
            visit_components(sum, [&](int c, Real& part) {
                for (unsigned other = 1; other < m2p_threads / warp_lanes; ++other) {
                    part += parts.of[other][c][lane];
                }
            });
            task.far.add(i, sum);
        }
        __syncthreads();
    }
}

/// The chunks, and how many of them a block looks at, one a lane: a block's chunks lie far apart,
/// since leaves that have entries lie side by side.
struct ChunkShare {
    std::size_t n;
    unsigned of_block;

    explicit ChunkShare(std::size_t n) : n(n) {
        constexpr std::size_t blocks_of_processor = 16; // that keep it busy
        const std::size_t fair = n / (blocks_of_processor * n_multiprocessors());
        of_block = static_cast<unsigned>(std::clamp<std::size_t>(fair, 1, warp_lanes));
    }
};

/// Runs M2P: a block does those of its chunks that have entries.
template <class K>
__global__ void __launch_bounds__(m2p_threads)
    m2p_kernel(const __grid_constant__ M2PTask<K> task, ChunkShare chunks, int n) {
    __shared__ M2PParts<K> parts;
    const unsigned own = threadIdx.x % warp_lanes;
    const std::size_t index = std::size_t(own) * gridDim.x + blockIdx.x;
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const ListView list = task.m2p_list();
    TargetChunk chunk{0, 0, 0};
    if (own < chunks.of_block && index < chunks.n) {
        chunk = target_chunk(task.target_offsets, n_leaves, index);
    }
    const bool has_any =
        chunk.begin < chunk.end && list.offsets[chunk.leaf] < list.offsets[chunk.leaf + 1];
    for (unsigned rest = __ballot_sync(0xffffffffU, has_any); rest != 0; rest &= rest - 1) {
        const int lane = __ffs(static_cast<int>(rest)) - 1;
        const TargetChunk next{
            from_lane(chunk.leaf, lane), from_lane(chunk.begin, lane), from_lane(chunk.end, lane)};
        add_boxes(task, next, n, parts);
    }
}

template <class K>
void M2PTask<K>::cuda(const M2PTask& task) {
    const int n = K::n_coefficients(task.args.order);
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const ChunkShare chunks(n_target_chunks(n_leaves, n_points(task.targets)));
    const unsigned blocks = n_blocks(chunks.n, chunks.of_block);
    m2p_kernel<K><<<blocks, m2p_threads, 0, cuda_stream()>>>(task, chunks, n);
    check_cuda(cudaGetLastError(), "launch of m2p_kernel");
}

} // namespace starfmm
