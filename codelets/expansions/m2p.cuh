// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of M2P.
#pragma once

#include "codelets/expansions/m2p.hpp"
#include "codelets/pairs/target_chunk.cuh"

namespace starfmm {

/// Four warps with one chunk of targets: most have no entries, a few have thousands.
inline constexpr int m2p_threads = 128;

/// Lanes that so many targets take; the rest of the block takes other entries for the same targets,
/// since leaves that get anything by M2P have few of them.
__device__ inline unsigned lanes_of_targets(std::size_t n) {
    unsigned lanes = 1;
    while (lanes < warp_lanes && lanes < n) {
        lanes *= 2;
    }
    return lanes;
}

template <class K>
__global__ void __launch_bounds__(m2p_threads)
    m2p_kernel(const __grid_constant__ M2PTask<K> task, int n) {
    using Real = typename K::Real;
    constexpr int n_values = n_value_components<K>;
    __shared__ Real parts[m2p_threads / warp_lanes][n_values][warp_lanes];
    const TargetChunk chunk =
        warp_target_chunk(task.target_offsets, n_leaves_of<dimension_of<K>>(task.args), blockIdx.x);
    const auto kernel = kernel_of<K>(task.args.kernel);
    const ListView list = task.m2p_list();
    const std::uint32_t first = list.offsets[chunk.leaf];
    const std::uint32_t last = list.offsets[chunk.leaf + 1];
    if (first == last) {
        return;
    }
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
        visit_components(sum, [&](int c, const Real& part) { parts[warp][c][lane] = part; });
        __syncthreads();
        if (warp == 0 && lane < width && i < chunk.end) {
            visit_components(sum, [&](int c, Real& part) {
                for (unsigned other = 1; other < m2p_threads / warp_lanes; ++other) {
                    part += parts[other][c][lane];
                }
            });
            task.far.add(i, sum);
        }
        __syncthreads();
    }
}

template <class K>
void m2p_cuda(const M2PTask<K>& task) {
    const int n = K::n_coefficients(task.args.order);
    const std::size_t n_chunks =
        n_target_chunks(n_leaves_of<dimension_of<K>>(task.args), n_points(task.targets));
    const auto blocks = static_cast<unsigned>(n_chunks);
    m2p_kernel<K><<<blocks, m2p_threads, 0, cuda_stream()>>>(task, n);
    check_cuda(cudaGetLastError(), "launch of m2p_kernel");
}

} // namespace starfmm
